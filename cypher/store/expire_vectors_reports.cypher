MATCH (c:Community) WHERE c.workspace = $workspace AND c.from IS NOT NULL AND c.id > $after
WITH c ORDER BY c.id LIMIT $limit
SET c.vector_pending = c.id, c.vector_fingerprint = null
RETURN max(c.id) AS last
