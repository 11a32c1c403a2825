UNWIND $rows AS row
MATCH (c:FactChunk {id: row.properties.chunk_id}) WHERE c.workspace = $workspace
MERGE (f:AtomicFact {id: row.id})
SET f = row.properties, f.id = row.id, f.workspace = $workspace
MERGE (c)-[:HAS_ATOMIC_FACT]->(f)
