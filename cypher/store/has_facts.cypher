MATCH (c:FactChunk) WHERE c.workspace = $workspace AND c.document_id IS NOT NULL
RETURN c.id AS id LIMIT 1
