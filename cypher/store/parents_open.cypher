UNWIND $rows AS row
MATCH (c:Community {id: row.id}) WHERE c.workspace = $workspace
MERGE (p:Community {id: row.parent}) ON CREATE SET p.workspace = $workspace
WITH c, p WHERE NOT EXISTS { MATCH (c)-[open:PARENT_COMMUNITY]->(p) WHERE open.to IS NULL }
CREATE (c)-[:PARENT_COMMUNITY {from: $generation}]->(p)
