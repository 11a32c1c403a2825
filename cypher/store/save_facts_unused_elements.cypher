UNWIND $ids AS id
MATCH (k:KeyElement {id: id}) WHERE k.workspace = $workspace AND NOT EXISTS { (:AtomicFact)-[:HAS_KEY_ELEMENT]->(k) }
DETACH DELETE k
