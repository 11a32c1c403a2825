UNWIND $ids AS id
MATCH (c:Community {id: id}) WHERE c.workspace = $workspace
OPTIONAL MATCH (c)-[:HAS_FINDING]->(f:Finding)
DETACH DELETE f, c
