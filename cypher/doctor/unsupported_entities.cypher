// Entities that no text unit's own records name.
MATCH (e:__Entity__) WHERE e.workspace = $workspace AND e.id IS NOT NULL AND e.text_unit_count IS NOT NULL
AND e.dirty IS NULL AND NOT coalesce(e.manual, false) AND NOT EXISTS { MATCH (:TextUnit)-[h:HAS_ENTITY]->(e) WHERE NOT h.linked }
RETURN e.id AS id ORDER BY id LIMIT $limit
