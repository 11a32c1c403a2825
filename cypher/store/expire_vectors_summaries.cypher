MATCH (n:TreeNode) WHERE n.workspace = $workspace AND n.from IS NOT NULL AND n.id > $after
WITH n ORDER BY n.id LIMIT $limit
SET n.vector_pending = n.id, n.vector_fingerprint = null
RETURN max(n.id) AS last
