UNWIND $ids AS id
MATCH (f:AtomicFact {document_id: id}) WHERE f.workspace = $workspace
RETURN f.chunk_id AS chunk, f.position AS position, f.text AS text, f.key_elements AS key_elements
