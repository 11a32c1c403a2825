CREATE INDEX $name IF NOT EXISTS FOR ()-[r:RELATED]-() ON (r.workspace, r.id)
