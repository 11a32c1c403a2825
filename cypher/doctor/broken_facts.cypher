// Documents whose chunks of atomic facts are not all there and linked, and key elements of no fact.
CALL () {
  MATCH (c:FactChunk) WHERE c.workspace = $workspace AND NOT c:__Entity__
  WITH c.document_id AS id, count(*) AS chunks, max(c.position) AS last,
       sum(COUNT { (:Document)-[:HAS_CHUNK]->(c) }) AS held
  WHERE last <> chunks - 1 OR held <> chunks
  RETURN id
  UNION
  MATCH (f:AtomicFact) WHERE f.workspace = $workspace AND NOT f:__Entity__
  AND (NOT EXISTS { (:FactChunk)-[:HAS_ATOMIC_FACT]->(f) }
    OR size(f.key_elements) > 0 AND NOT EXISTS { (f)-[:HAS_KEY_ELEMENT]->(:KeyElement) })
  RETURN f.document_id AS id
  UNION
  MATCH (k:KeyElement) WHERE k.workspace = $workspace AND NOT k:__Entity__ AND NOT EXISTS { (:AtomicFact)-[:HAS_KEY_ELEMENT]->(k) }
  RETURN k.id AS id
}
WITH id WHERE id IS NOT NULL
RETURN id ORDER BY id LIMIT $limit
