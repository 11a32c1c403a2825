UNWIND $rows AS row
MATCH (f:AtomicFact {id: row.fact}) WHERE f.workspace = $workspace
MERGE (k:KeyElement {id: row.id}) ON CREATE SET k.workspace = $workspace, k.key = row.key, k.name = row.name
MERGE (f)-[:HAS_KEY_ELEMENT]->(k)
