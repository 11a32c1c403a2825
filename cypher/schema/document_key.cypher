CREATE INDEX $name IF NOT EXISTS FOR (n:Document) ON (n.workspace, n.key)
