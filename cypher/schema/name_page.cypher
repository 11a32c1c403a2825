CREATE INDEX $name IF NOT EXISTS FOR (n:Name) ON (n.workspace, n.page)
