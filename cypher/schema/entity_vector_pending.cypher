CREATE INDEX $name IF NOT EXISTS FOR (n:__Entity__) ON (n.workspace, n.vector_pending)
