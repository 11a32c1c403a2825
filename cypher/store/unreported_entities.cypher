MATCH (e:__Entity__) WHERE e.workspace = $workspace AND e.unreported > ''
RETURN e.id AS id
