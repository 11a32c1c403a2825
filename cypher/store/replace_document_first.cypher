MATCH (d:Document {id: $document}) MATCH (u:TextUnit {id: $first})
CREATE (d)-[:FIRST_CHUNK]->(u)
