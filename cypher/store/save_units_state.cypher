UNWIND $rows AS row
MATCH (u:TextUnit {id: row.id}) WHERE u.workspace = $workspace
SET u._lock = 1
WITH u, row, u.relationship_ids AS relationship_ids, u.records AS records
SET u += row.state, u._lock = null
RETURN u.id AS id, relationship_ids, records
