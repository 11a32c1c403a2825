// Nodes that have vectors or are to have them: what they were made from, and whether new ones are to be made.
CALL () {
  MATCH (n:Question) WHERE n.workspace = $workspace AND n.id > $after
  RETURN n
  UNION
  MATCH (n:Answer) WHERE n.workspace = $workspace AND n.id > $after
  RETURN n
}
RETURN n.id AS id, n.vector_fingerprint AS fingerprint, n.vector_pending IS NOT NULL AS pending
ORDER BY id LIMIT $limit
