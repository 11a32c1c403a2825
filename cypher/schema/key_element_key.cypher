CREATE INDEX $name IF NOT EXISTS FOR (n:KeyElement) ON (n.workspace, n.key)
