UNWIND $ids AS id
MATCH (a)-[r:RELATED {id: id}]->(b) WHERE r.workspace = $workspace
SET r.dirty = null, r.text_unit_count = 0
WITH r, a.id AS one, b.id AS other WHERE NOT coalesce(r.manual, false)
DELETE r
RETURN one, other
