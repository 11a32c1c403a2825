// Removes documents' chunks and facts, and key elements.
MATCH (n:FactChunk|AtomicFact|KeyElement) WHERE n.workspace = $workspace AND NOT n:__Entity__ AND coalesce(n.document_id, n.id) IN $ids
DETACH DELETE n
