CREATE INDEX $name IF NOT EXISTS FOR (n:Edit) ON (n.workspace, n.sequence)
