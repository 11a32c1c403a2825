CREATE INDEX $name IF NOT EXISTS FOR (n:TreeNode) ON (n.workspace, n.document_id)
