MATCH (c:FactChunk) WHERE c.workspace = $workspace AND c.document_id IS NOT NULL
AND EXISTS { (:Document)-[:HAS_CHUNK]->(c) }
RETURN c.id AS id LIMIT 1
