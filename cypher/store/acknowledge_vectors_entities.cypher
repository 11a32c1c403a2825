UNWIND $rows AS row
MATCH (e:__Entity__ {id: row.id}) WHERE coalesce(e.workspace, '') = $workspace
SET e.vector_fingerprint = row.fingerprint, e.vector_pending = null
