// Makes the vectors of questions and answers pending.
UNWIND $ids AS wanted
CALL (wanted) {
  MATCH (n:Question {id: wanted}) WHERE coalesce(n.workspace, '') = $workspace
  RETURN n
  UNION
  MATCH (n:Answer {id: wanted}) WHERE coalesce(n.workspace, '') = $workspace
  RETURN n
}
SET n.vector_pending = wanted
