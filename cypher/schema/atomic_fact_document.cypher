CREATE INDEX $name IF NOT EXISTS FOR (n:AtomicFact) ON (n.workspace, n.document_id)
