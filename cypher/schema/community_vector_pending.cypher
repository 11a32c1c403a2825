CREATE INDEX $name IF NOT EXISTS FOR (n:Community) ON (n.workspace, n.vector_pending)
