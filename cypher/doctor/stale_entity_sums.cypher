// Entities whose counts are not those of their mentions, claims and relationships, over all time or in its periods, though
// nothing waits to be summed up.
MATCH (e:__Entity__) WHERE e.workspace = $workspace AND e.id IS NOT NULL AND e.text_unit_count IS NOT NULL
AND e.dirty IS NULL
AND (e.text_unit_count <> COUNT { (:TextUnit)-[:HAS_ENTITY]->(e) } OR e.degree <> COUNT { (e)-[:RELATED]-() }
  OR COUNT { (u:TextUnit)-[:HAS_ENTITY]->(e) WHERE u.period IS NOT NULL }
    <> reduce(total = 0, text_units IN COLLECT { MATCH (e)-[i:IN_PERIOD]->(:Period) RETURN i.text_units } | total + text_units)
  OR COUNT { (u:TextUnit)-[:HAS_CLAIM]->(:Claim)-[:SUBJECT]->(e) WHERE u.period IS NOT NULL }
    <> reduce(total = 0, claims IN COLLECT { MATCH (e)-[i:IN_PERIOD]->(:Period) RETURN coalesce(i.claims, 0) } | total + claims))
AND NOT EXISTS { MATCH (e)-[r:RELATED]-() WHERE r.dirty IS NOT NULL }
RETURN e.id AS id ORDER BY id LIMIT $limit
