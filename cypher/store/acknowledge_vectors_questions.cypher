UNWIND $rows AS row
CALL (row) {
  MATCH (n:Question {id: row.id}) WHERE coalesce(n.workspace, '') = $workspace
  RETURN n
  UNION
  MATCH (n:Answer {id: row.id}) WHERE coalesce(n.workspace, '') = $workspace
  RETURN n
}
SET n.vector_fingerprint = row.fingerprint, n.vector_pending = null
