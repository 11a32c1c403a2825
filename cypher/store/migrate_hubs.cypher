MATCH (e:__Entity__) WHERE e.workspace = $workspace AND e.id IS NOT NULL AND e.dirty IS NULL
AND (e.degree > $limit OR e.text_unit_count > $limit)
RETURN e.id AS id ORDER BY id
