UNWIND $rows AS row
MATCH (u:TextUnit {id: row.text_unit})
MATCH (u)-[h:HAS_ENTITY]->(e:__Entity__) WHERE e.id IN row.entities
DELETE h
