//! The tables, prefixed by nothing; those of the vector store in the same file begin with `vec_`.
//!
//! Nodes have an integer key inside (`node`) and their 128-bit id outside. Short columns and long texts of a text
//! unit stand in two tables, so that counting and sorting units does not read their texts. Lists are JSON.

/// Steps from version to version (design 20).
pub(super) const STEPS: &[&str] = &[
    VERSION_1,
    VERSION_2,
    VERDICTS,
    LOST_RECORDS,
    LEDGER,
    OTHER_KINDS,
    DATES,
    LOCATORS,
    READ_BY_MODEL,
    ORIGINS,
    KINDS,
    PERIODS,
    SUMMARIES,
    INDEXED_AT,
    CLAIMS_BY_PERIOD,
    GREATEST,
    SECTIONS,
    PACKED,
    UNITS_BY_PERIOD,
];

/// All tables but the workspace's own row and the ledger, for `clear`.
pub(super) const TABLES: [&str; 27] = [
    "settings",
    "documents",
    "text_units",
    "unit_contents",
    "entities",
    "mentions",
    "relationships",
    "relations",
    "entity_periods",
    "relationship_periods",
    "claims",
    "names",
    "name_uses",
    "dictionary",
    "resolution",
    "edits",
    "verdicts",
    "dirty_entities",
    "dirty_relationships",
    "communities",
    "community_members",
    "community_validity",
    "community_parents",
    "lineage_steps",
    "clustered",
    "pending_vectors",
    "tombstones",
];

const LEDGER: &str = "
CREATE TABLE ledger (
    task TEXT NOT NULL, model TEXT NOT NULL, calls INTEGER NOT NULL, cached INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL, cached_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL,
    retries INTEGER NOT NULL, failures INTEGER NOT NULL, time_ms INTEGER NOT NULL, cost REAL NOT NULL,
    PRIMARY KEY (task, model)
) WITHOUT ROWID;
";

const VERSION_1: &str = "
CREATE TABLE workspace (name TEXT PRIMARY KEY, generation INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE documents (
    node INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, key TEXT NOT NULL UNIQUE, title TEXT NOT NULL,
    content_hash TEXT NOT NULL, character_count INTEGER NOT NULL, text_unit_count INTEGER NOT NULL,
    metadata TEXT NOT NULL
);
CREATE TABLE text_units (
    node INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, document INTEGER NOT NULL, position INTEGER NOT NULL,
    token_count INTEGER NOT NULL, start_offset INTEGER NOT NULL, end_offset INTEGER NOT NULL,
    extraction TEXT, error TEXT, linking_done INTEGER NOT NULL DEFAULT 0, vector_fingerprint TEXT
);
CREATE INDEX text_units_of_document ON text_units (document, position);
CREATE INDEX text_units_to_extract ON text_units (id) WHERE extraction IS NULL AND error IS NULL;
CREATE INDEX text_units_to_link ON text_units (id)
    WHERE extraction IS NOT NULL AND error IS NULL AND linking_done = 0;
CREATE INDEX text_units_failed ON text_units (document, position) WHERE error IS NOT NULL;
CREATE TABLE unit_contents (
    node INTEGER PRIMARY KEY, headings TEXT NOT NULL, linked TEXT NOT NULL DEFAULT '[]',
    records TEXT NOT NULL DEFAULT '[]', text TEXT NOT NULL
);

-- `summed` is 0 until the first sum is written; such rows show their provisional name
CREATE TABLE entities (
    node INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, summed INTEGER NOT NULL DEFAULT 0, name TEXT NOT NULL,
    kind TEXT NOT NULL DEFAULT '', degree INTEGER NOT NULL DEFAULT 0, text_unit_count INTEGER NOT NULL DEFAULT 0,
    aliases TEXT NOT NULL DEFAULT '[]', description TEXT NOT NULL DEFAULT '',
    summary_fingerprint TEXT, summary TEXT, vector_fingerprint TEXT
);
CREATE INDEX entities_without_sum ON entities (node) WHERE summed = 0;
-- `unit_key` orders as the unit's id does, so that an entity's first mentions are read from the index alone
CREATE TABLE mentions (
    unit INTEGER NOT NULL, entity INTEGER NOT NULL, records INTEGER NOT NULL, unit_key INTEGER NOT NULL,
    linked INTEGER NOT NULL, items TEXT NOT NULL, PRIMARY KEY (unit, entity)
) WITHOUT ROWID;
CREATE INDEX mentions_of_entity ON mentions (entity, records DESC, unit_key);

-- `forward`: the source is the end with the smaller id; `id_key` orders as the id does
CREATE TABLE relationships (
    node INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, id_key INTEGER NOT NULL, low INTEGER NOT NULL,
    high INTEGER NOT NULL, summed INTEGER NOT NULL DEFAULT 0, forward INTEGER NOT NULL DEFAULT 1,
    weight INTEGER NOT NULL DEFAULT 0, strength INTEGER NOT NULL DEFAULT 0,
    text_unit_count INTEGER NOT NULL DEFAULT 0, kind TEXT NOT NULL DEFAULT '',
    description TEXT NOT NULL DEFAULT '', summary_fingerprint TEXT, summary TEXT
);
CREATE INDEX relationships_of_low ON relationships (low, weight DESC, id_key) WHERE summed = 1;
CREATE INDEX relationships_of_high ON relationships (high, weight DESC, id_key) WHERE summed = 1;
CREATE INDEX relationships_without_sum ON relationships (node) WHERE summed = 0;
CREATE TABLE relations (
    unit INTEGER NOT NULL, relationship INTEGER NOT NULL, items TEXT NOT NULL, PRIMARY KEY (unit, relationship)
) WITHOUT ROWID;
CREATE INDEX relations_of_relationship ON relations (relationship);

CREATE TABLE claims (
    id TEXT PRIMARY KEY, unit INTEGER NOT NULL, subject TEXT NOT NULL, object TEXT, kind TEXT NOT NULL,
    status TEXT NOT NULL, description TEXT NOT NULL, start_date TEXT NOT NULL, end_date TEXT NOT NULL,
    source_text TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX claims_of_unit ON claims (unit);
CREATE INDEX claims_of_subject ON claims (subject);

-- spellings of name keys; the empty spelling stands for a linked name
CREATE TABLE names (
    node INTEGER PRIMARY KEY, key TEXT NOT NULL, spelling TEXT NOT NULL, UNIQUE (key, spelling)
);
CREATE TABLE name_uses (
    name INTEGER NOT NULL, unit INTEGER NOT NULL, kinds TEXT NOT NULL, PRIMARY KEY (name, unit)
) WITHOUT ROWID;
CREATE TABLE dictionary (key TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE resolution (key TEXT PRIMARY KEY, canonical TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE edits (id TEXT PRIMARY KEY, sequence INTEGER NOT NULL, kind TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE dirty_entities (node INTEGER PRIMARY KEY);
CREATE TABLE dirty_relationships (node INTEGER PRIMARY KEY);

CREATE TABLE communities (
    node INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, level INTEGER NOT NULL, leaf INTEGER NOT NULL,
    oversized INTEGER NOT NULL, composed INTEGER NOT NULL, rank REAL NOT NULL, fingerprint TEXT NOT NULL,
    lineage TEXT NOT NULL, period TEXT NOT NULL, title TEXT NOT NULL, summary TEXT NOT NULL,
    rank_explanation TEXT NOT NULL, findings TEXT NOT NULL, vector_fingerprint TEXT
);
CREATE TABLE community_members (
    community INTEGER NOT NULL, entity TEXT NOT NULL, PRIMARY KEY (community, entity)
) WITHOUT ROWID;
CREATE INDEX communities_of_entity ON community_members (entity);
-- valid where first <= generation < until; a community that came back has more than one row
CREATE TABLE community_validity (
    community INTEGER NOT NULL, first INTEGER NOT NULL, until INTEGER NOT NULL, PRIMARY KEY (community, first)
) WITHOUT ROWID;
CREATE TABLE community_parents (
    community INTEGER NOT NULL, first INTEGER NOT NULL, until INTEGER NOT NULL, parent TEXT NOT NULL,
    PRIMARY KEY (community, first)
) WITHOUT ROWID;

CREATE TABLE pending_vectors (kind TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID;
CREATE TABLE tombstones (kind TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID;
";

/// Adds the history of lines of communities, and what the last clustering worked on: pairs of a key and a sum, 8 bytes
/// each, little-endian.
const VERSION_2: &str = "
CREATE TABLE lineage_steps (
    lineage TEXT NOT NULL, generation INTEGER NOT NULL, period TEXT NOT NULL, event TEXT NOT NULL,
    level INTEGER NOT NULL, size INTEGER NOT NULL, title TEXT NOT NULL, others TEXT NOT NULL,
    PRIMARY KEY (lineage, generation)
) WITHOUT ROWID;
CREATE TABLE clustered (generation INTEGER NOT NULL, settings TEXT NOT NULL, marks BLOB NOT NULL);
";

const VERDICTS: &str = "
CREATE TABLE verdicts (
    low TEXT NOT NULL, high TEXT NOT NULL, evidence TEXT NOT NULL, same INTEGER NOT NULL, reason TEXT NOT NULL,
    PRIMARY KEY (low, high)
) WITHOUT ROWID;
";

const LOST_RECORDS: &str = "
ALTER TABLE text_units ADD COLUMN records_lost INTEGER NOT NULL DEFAULT 0;
ALTER TABLE text_units ADD COLUMN records_pruned INTEGER NOT NULL DEFAULT 0;
";

/// Adds where in its file a unit's text stands.
const LOCATORS: &str = "
ALTER TABLE unit_contents ADD COLUMN locators TEXT NOT NULL DEFAULT '[]';
";

/// Adds the types of a relationship beside its own, and finds claims by what they concern.
const OTHER_KINDS: &str = "
ALTER TABLE relationships ADD COLUMN other_kinds TEXT NOT NULL DEFAULT '[]';
ALTER TABLE relationships ADD COLUMN reverse_kinds TEXT NOT NULL DEFAULT '[]';
CREATE INDEX claims_of_object ON claims (object) WHERE object IS NOT NULL;
";

/// Adds what a unit's reader is told of its document, what asking again gave, and who says a claim.
const READ_BY_MODEL: &str = "
ALTER TABLE unit_contents ADD COLUMN header TEXT NOT NULL DEFAULT '';
ALTER TABLE text_units ADD COLUMN records_gleaned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE claims ADD COLUMN holder TEXT NOT NULL DEFAULT '';
";

/// Adds what a document was read from and by, as JSON.
const ORIGINS: &str = "
ALTER TABLE documents ADD COLUMN origin TEXT;
";

/// Finds entities by their type, in pages.
const KINDS: &str = "
CREATE INDEX entities_of_kind ON entities (kind, id) WHERE summed = 1;
";

/// Finds what has a summary, most have none.
const SUMMARIES: &str = "
CREATE INDEX entities_summarised ON entities (summary_fingerprint) WHERE summary_fingerprint IS NOT NULL;
CREATE INDEX relationships_summarised ON relationships (summary_fingerprint) WHERE summary_fingerprint IS NOT NULL;
";

/// Adds when a document was written: a period as JSON.
const DATES: &str = "
ALTER TABLE documents ADD COLUMN date TEXT;
";

/// Adds the days that each text unit is of, what it says for or against what it names, and counts by period. What is there
/// is counted by the next run.
const PERIODS: &str = "
ALTER TABLE text_units ADD COLUMN period TEXT;
ALTER TABLE mentions ADD COLUMN sentiment TEXT;
CREATE TABLE entity_periods (
    entity INTEGER NOT NULL, period TEXT NOT NULL, documents INTEGER NOT NULL, text_units INTEGER NOT NULL,
    mentions INTEGER NOT NULL, sentiment INTEGER NOT NULL, judged INTEGER NOT NULL, PRIMARY KEY (entity, period)
) WITHOUT ROWID;
CREATE TABLE relationship_periods (
    relationship INTEGER NOT NULL, period TEXT NOT NULL, documents INTEGER NOT NULL, text_units INTEGER NOT NULL,
    mentions INTEGER NOT NULL, strength INTEGER NOT NULL, PRIMARY KEY (relationship, period)
) WITHOUT ROWID;
UPDATE text_units SET period = (
    SELECT json_extract(d.date, '$.from') || '/' || json_extract(d.date, '$.to') FROM documents d
    WHERE d.node = text_units.document);
INSERT OR IGNORE INTO dirty_entities (node) SELECT DISTINCT m.entity FROM mentions m
    JOIN text_units u ON u.node = m.unit WHERE u.period IS NOT NULL;
INSERT OR IGNORE INTO dirty_relationships (node) SELECT DISTINCT x.relationship FROM relations x
    JOIN text_units u ON u.node = x.unit WHERE u.period IS NOT NULL;
";

/// Adds when a document's text came in; those of before have no time.
const INDEXED_AT: &str = "
ALTER TABLE documents ADD COLUMN indexed_at TEXT;
";

/// Adds how many claims each period makes about an entity. Those of before are counted by the next run.
const CLAIMS_BY_PERIOD: &str = "
ALTER TABLE entity_periods ADD COLUMN claims INTEGER NOT NULL DEFAULT 0;
INSERT OR IGNORE INTO dirty_entities (node) SELECT DISTINCT e.node FROM claims c JOIN entities e ON e.id = c.subject
    JOIN text_units u ON u.node = c.unit WHERE u.period IS NOT NULL;
";

/// Finds the entities of a type that have the greatest sums.
const GREATEST: &str = "
CREATE INDEX entities_by_degree ON entities (kind, degree, id) WHERE summed = 1;
CREATE INDEX entities_by_text_units ON entities (kind, text_unit_count, id) WHERE summed = 1;
";

/// From here on the records of a unit and the findings of a report may be packed; what was written before is read as it is.
const PACKED: &str = "-- an earlier program would not understand them";

/// Finds the text units of some days, and their documents.
const UNITS_BY_PERIOD: &str = "
CREATE INDEX text_units_of_period ON text_units (period, document) WHERE period IS NOT NULL;
";

/// Adds the headings above a unit's text and inside it, as JSON; units of before know none until their file is read again.
const SECTIONS: &str = "
ALTER TABLE unit_contents ADD COLUMN sections TEXT;
";
