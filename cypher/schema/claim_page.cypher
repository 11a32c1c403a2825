CREATE INDEX $name IF NOT EXISTS FOR (n:Claim) ON (n.workspace, n.id)
