UNWIND $ids AS id
MATCH (f:FactChunk|AtomicFact {document_id: id}) WHERE f.workspace = $workspace
DETACH DELETE f
