MATCH (e:__Entity__) WHERE e.workspace = $workspace AND e.id > $after
WITH e ORDER BY e.workspace, e.id LIMIT $limit
SET e.vector_pending = CASE WHEN e.text_unit_count IS NULL THEN null ELSE e.id END, e.vector_fingerprint = null
RETURN max(e.id) AS last
