MATCH (t:VectorTombstone) WHERE t.workspace = $workspace AND t.kind = $kind AND NOT t:__Entity__
RETURN t.id AS id ORDER BY id LIMIT $limit
