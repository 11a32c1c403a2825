UNWIND $rows AS row
MATCH (u:TextUnit {id: row.text_unit})
UNWIND row.mentions AS mention
MATCH (e:__Entity__ {id: mention.entity})
CREATE (u)-[h:HAS_ENTITY]->(e)
SET h = mention.properties
