UNWIND $ids AS id
MATCH (f:AtomicFact {document_id: id})-[:HAS_KEY_ELEMENT]->(k:KeyElement) WHERE f.workspace = $workspace
RETURN DISTINCT k.id AS id
