UNWIND $rows AS row
MERGE (c:Community {id: row.id}) ON CREATE SET c.workspace = $workspace
SET c._lock = 1
WITH c, row, CASE WHEN c.from IS NULL OR c.to < $generation THEN $generation ELSE c.from END AS from
SET c:__Community__, c += row.properties, c.from = from, c.to = null, c._lock = null,
    c.vector_pending = row.id, c.vector_fingerprint = null
