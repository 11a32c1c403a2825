MATCH (u:TextUnit) WHERE u.workspace = $workspace AND u.id > $after
WITH u ORDER BY u.workspace, u.id LIMIT $limit
SET u.vector_pending = u.id, u.vector_fingerprint = null
RETURN max(u.id) AS last
