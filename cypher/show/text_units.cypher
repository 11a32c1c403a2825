// Text units that the answer rests on, their documents, and the entities of the answer that they mention
UNWIND $text_units AS id
MATCH (u:TextUnit {id: id})-[p:PART_OF]->(d:Document) WHERE coalesce(u.workspace, '') = $workspace
OPTIONAL MATCH (u)-[m:HAS_ENTITY]->(e:__Entity__) WHERE e.id IN $entities
RETURN d, p, u, m, e
