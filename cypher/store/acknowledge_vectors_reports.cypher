UNWIND $rows AS row
MATCH (c:Community {id: row.id}) WHERE c.workspace = $workspace
SET c.vector_fingerprint = row.fingerprint, c.vector_pending = null
