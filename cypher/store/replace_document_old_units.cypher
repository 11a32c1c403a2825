MATCH (u:TextUnit)-[:PART_OF]->(d:Document {id: $id}) WHERE coalesce(u.workspace, '') = $workspace
SET u._lock = 1
RETURN u.id AS id, u.index AS index, u.headings AS headings, u.header AS header, u.period AS period
