UNWIND $rows AS row
MATCH (d:Document {id: row.properties.document_id}) WHERE d.workspace = $workspace
MERGE (c:FactChunk {id: row.id})
SET c = row.properties, c.id = row.id, c.workspace = $workspace
MERGE (d)-[:HAS_CHUNK]->(c)
WITH c, row
UNWIND row.properties.text_units AS unit
MATCH (u:TextUnit {id: unit}) WHERE coalesce(u.workspace, '') = $workspace
MERGE (u)-[:IN_CHUNK]->(c)
