UNWIND $rows AS row
MATCH (u:TextUnit {id: row.text_unit}) MATCH (s:__Entity__ {id: row.subject})
MERGE (c:Claim {id: row.id})
SET c:__Covariate__, c += row.properties, c.workspace = $workspace
MERGE (u)-[:HAS_CLAIM]->(c)
MERGE (c)-[:SUBJECT]->(s)
WITH c, row WHERE row.object IS NOT NULL
MATCH (o:__Entity__ {id: row.object})
MERGE (c)-[:OBJECT]->(o)
