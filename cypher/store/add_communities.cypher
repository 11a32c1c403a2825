UNWIND $rows AS row
MERGE (c:Community {id: row.id}) ON CREATE SET c.workspace = $workspace
SET c._lock = 1
WITH c, row, CASE WHEN c.from IS NULL OR c.to < $generation THEN $generation ELSE c.from END AS from,
     c.full_content IS NULL OR c.full_content <> row.properties.full_content AS anew
SET c:__Community__, c += row.properties, c.from = from, c.to = null, c._lock = null,
    c.vector_pending = CASE WHEN anew THEN row.id ELSE c.vector_pending END
