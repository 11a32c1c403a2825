UNWIND $rows AS row
MATCH (a)-[r:RELATED {id: row.id}]->(b) WHERE r.workspace = $workspace
SET r._lock = 1
WITH a, r, b, row, r.weight IS NULL AS came
SET r += CASE WHEN coalesce(r.manual, false) THEN {text_unit_count: row.properties.text_unit_count} ELSE row.properties END,
    r._lock = null, r.dirty = null
RETURN r.id AS id, came, a.id AS one, b.id AS other
