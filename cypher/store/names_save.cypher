UNWIND $rows AS row
MATCH (n:Name {id: row.id})
SET n += row, n._lock = null
