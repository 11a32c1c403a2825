CREATE INDEX $name IF NOT EXISTS FOR (n:VectorTombstone) ON (n.workspace, n.kind)
