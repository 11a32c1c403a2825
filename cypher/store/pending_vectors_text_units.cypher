MATCH (u:TextUnit) WHERE u.workspace = $workspace AND u.vector_pending > ''
RETURN u.id AS id, u.vector_fingerprint AS stored_fingerprint
ORDER BY u.workspace, u.vector_pending LIMIT $limit
