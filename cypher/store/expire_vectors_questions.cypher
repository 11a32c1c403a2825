CALL () {
  MATCH (n:Question) WHERE n.workspace = $workspace AND n.id > $after
  RETURN n
  UNION
  MATCH (n:Answer) WHERE n.workspace = $workspace AND n.id > $after
  RETURN n
}
WITH n ORDER BY n.id LIMIT $limit
SET n.vector_pending = n.id, n.vector_fingerprint = null
RETURN max(n.id) AS last
