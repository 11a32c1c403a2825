UNWIND $rows AS row
MATCH (a)-[r:RELATED {id: row.id}]->(b) WHERE r.workspace = $workspace
SET r._lock = 1
WITH a, r, b, row, r.weight IS NULL AS came,
     CASE WHEN r.weight <> row.properties.weight AND NOT coalesce(r.manual, false)
          THEN [end IN [a, b] WHERE end.top_relationships IS NOT NULL] ELSE [] END AS outdated
SET r += CASE WHEN coalesce(r.manual, false) THEN {text_unit_count: row.properties.text_unit_count} ELSE row.properties END,
    r._lock = null, r.dirty = null
FOREACH (end IN outdated | SET end.top_relationships = null)
RETURN r.id AS id, came, a.id AS one, b.id AS other
