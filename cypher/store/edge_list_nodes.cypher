MATCH (e:__Entity__) WHERE e.workspace = $workspace AND e.id IS NOT NULL AND e.text_unit_count IS NOT NULL
RETURN id(e) AS node, e.id AS id, e.name AS name
