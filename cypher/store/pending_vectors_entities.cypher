MATCH (e:__Entity__) WHERE e.workspace = $workspace AND e.vector_pending > ''
WITH e ORDER BY e.workspace, e.vector_pending LIMIT $limit
RETURN e.id AS id, e.name AS name, e.aliases AS aliases, e.description AS description, e.type AS kind,
       e.vector_fingerprint AS stored_fingerprint
