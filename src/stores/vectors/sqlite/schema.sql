-- One a workspace and kind.
CREATE TABLE IF NOT EXISTS vec_collection (
    collection INTEGER PRIMARY KEY,
    workspace  TEXT NOT NULL,
    kind       TEXT NOT NULL,
    dimension  INTEGER,
    UNIQUE (workspace, kind)
);

-- segment and place: where its sparse vector stands; block and slot: where its dense vector stands.
CREATE TABLE IF NOT EXISTS vec_point (
    point      INTEGER PRIMARY KEY,
    collection INTEGER NOT NULL,
    id         TEXT NOT NULL,
    document   TEXT,
    kind       TEXT,
    level      INTEGER,
    segment    INTEGER,
    place      INTEGER,
    block      INTEGER,
    slot       INTEGER,
    UNIQUE (collection, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS vec_point_place ON vec_point (collection, segment, place) WHERE segment IS NOT NULL;
CREATE INDEX IF NOT EXISTS vec_point_document ON vec_point (collection, document) WHERE document IS NOT NULL;
CREATE INDEX IF NOT EXISTS vec_point_kind ON vec_point (collection, kind) WHERE kind IS NOT NULL;
CREATE INDEX IF NOT EXISTS vec_point_level ON vec_point (collection, level) WHERE level IS NOT NULL;

-- A segment holds the sparse vectors of `size` points, written at once; `dead` has a bit for each that is gone.
CREATE TABLE IF NOT EXISTS vec_segment (
    collection INTEGER NOT NULL,
    segment    INTEGER NOT NULL,
    size       INTEGER NOT NULL,
    live       INTEGER NOT NULL,
    dead       BLOB NOT NULL,
    PRIMARY KEY (collection, segment)
);
CREATE TABLE IF NOT EXISTS vec_posting (
    collection INTEGER NOT NULL,
    segment    INTEGER NOT NULL,
    token      INTEGER NOT NULL,
    postings   BLOB NOT NULL,
    PRIMARY KEY (collection, segment, token)
) WITHOUT ROWID;

-- A block holds dense vectors one behind the other; `points` names the point of each slot, 0 where it is gone.
CREATE TABLE IF NOT EXISTS vec_block (
    block      INTEGER PRIMARY KEY AUTOINCREMENT,
    collection INTEGER NOT NULL,
    points     BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS vec_block_collection ON vec_block (collection);
CREATE TABLE IF NOT EXISTS vec_block_vectors (
    block   INTEGER PRIMARY KEY,
    vectors BLOB NOT NULL
);
