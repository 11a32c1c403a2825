MATCH (e:__Entity__) WHERE e.workspace = $workspace AND e.vector_pending > ''
WITH e ORDER BY e.workspace, e.vector_pending LIMIT $limit
RETURN e.vector_fingerprint AS stored_fingerprint,
       e {.id, .name, kind: e.type, .description, .aliases, .degree, .text_unit_count} AS entity
