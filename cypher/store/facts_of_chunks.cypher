UNWIND $ids AS id
MATCH (c:FactChunk {document_id: id}) WHERE c.workspace = $workspace
RETURN c.id AS id, c.document_id AS document, c.stamp AS stamp, c.position AS position, c.text_units AS text_units
