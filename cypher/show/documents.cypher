// Documents of the answer, and where they mention its entities
UNWIND $documents AS id
MATCH (d:Document {id: id}) WHERE coalesce(d.workspace, '') = $workspace
OPTIONAL MATCH (u:TextUnit)-[p:PART_OF]->(d) WHERE EXISTS { (u)-[:HAS_ENTITY]->(x:__Entity__) WHERE x.id IN $entities }
OPTIONAL MATCH (u)-[m:HAS_ENTITY]->(e:__Entity__) WHERE e.id IN $entities
RETURN d, p, u, m, e
