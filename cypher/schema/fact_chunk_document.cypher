CREATE INDEX $name IF NOT EXISTS FOR (n:FactChunk) ON (n.workspace, n.document_id)
