MATCH (e:__Entity__) WHERE e.workspace = $workspace AND e.dirty > ''
WITH e ORDER BY e.workspace, e.dirty LIMIT $limit
RETURN e.id AS id, COUNT { (e)<-[:HAS_ENTITY]-() } AS pieces
