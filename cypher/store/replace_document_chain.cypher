UNWIND $rows AS row
MATCH (u:TextUnit {id: row.id}) MATCH (n:TextUnit {id: row.next})
CREATE (u)-[:NEXT_CHUNK]->(n)
