MATCH (u:TextUnit)-[:PART_OF]->(d:Document {id: $id})
SET u._lock = 1
RETURN u.id AS id, u.index AS index, u.headings AS headings, u.header AS header, u.period AS period
