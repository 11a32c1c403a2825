MATCH (c:Community) WHERE c.workspace = $workspace AND c.vector_pending > ''
WITH c ORDER BY c.workspace, c.vector_pending LIMIT $limit
RETURN c.id AS id, c.full_content AS text, c.level AS level, c.vector_fingerprint AS stored_fingerprint
