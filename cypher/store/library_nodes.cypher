UNWIND $ids AS wanted
CALL (wanted) {
  MATCH (n:Question {id: wanted}) WHERE coalesce(n.workspace, '') = $workspace
  RETURN n.id AS id
  UNION
  MATCH (n:Answer {id: wanted}) WHERE coalesce(n.workspace, '') = $workspace
  RETURN n.id AS id
}
RETURN id
