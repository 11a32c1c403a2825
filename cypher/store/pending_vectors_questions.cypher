CALL () {
  MATCH (n:Question) WHERE n.workspace = $workspace AND n.vector_pending > ''
  RETURN n, n.text AS text
  UNION
  MATCH (n:Answer) WHERE n.workspace = $workspace AND n.vector_pending > ''
  MATCH (q:Question)-[:HAS_ANSWER]->(n)
  RETURN n, q.text + '\n' + n.text AS text
}
WITH n, text ORDER BY n.id LIMIT $limit
RETURN n.id AS id, text, n.vector_fingerprint AS stored_fingerprint
