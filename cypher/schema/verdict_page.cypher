CREATE INDEX $name IF NOT EXISTS FOR (n:Verdict) ON (n.workspace, n.id)
