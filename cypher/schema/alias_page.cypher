CREATE INDEX $name IF NOT EXISTS FOR (n:Alias) ON (n.workspace, n.id)
