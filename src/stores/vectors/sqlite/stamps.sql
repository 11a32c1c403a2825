-- A number that every write to a collection makes anew: who holds its vectors in memory knows by it that they are these.
CREATE TABLE IF NOT EXISTS vec_stamp (
    collection INTEGER PRIMARY KEY,
    stamp      INTEGER NOT NULL
);
