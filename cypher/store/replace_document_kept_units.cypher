UNWIND $rows AS row
MATCH (u:TextUnit {id: row.id})
SET u += row, u._lock = null
