UNWIND $rows AS row
MATCH (u:TextUnit {id: row.id}) WHERE coalesce(u.workspace, '') = $workspace
SET u._lock = 1
WITH u, row, u.relationship_ids AS relationship_ids, u.records AS records
WHERE row.fence IS NULL OR (u.fence = row.fence AND u.leased_by = row.worker)
SET u += row.state, u._lock = null, u.leased_by = null
RETURN u.id AS id, relationship_ids, records
