// Entities whose counts are not those of their mentions and relationships, though nothing waits to be summed up.
MATCH (e:__Entity__) WHERE e.workspace = $workspace AND e.id IS NOT NULL AND e.text_unit_count IS NOT NULL
AND e.dirty IS NULL
AND (e.text_unit_count <> COUNT { (:TextUnit)-[:HAS_ENTITY]->(e) } OR e.degree <> COUNT { (e)-[:RELATED]-() })
AND NOT EXISTS { MATCH (e)-[r:RELATED]-() WHERE r.dirty IS NOT NULL }
RETURN e.id AS id ORDER BY id LIMIT $limit
