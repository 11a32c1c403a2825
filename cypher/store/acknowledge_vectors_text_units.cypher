UNWIND $rows AS row
MATCH (u:TextUnit {id: row.id}) WHERE coalesce(u.workspace, '') = $workspace
SET u.vector_fingerprint = row.fingerprint, u.vector_pending = null
