UNWIND $ids AS id
MATCH (u:TextUnit {id: id}) WHERE coalesce(u.workspace, '') = $workspace
MATCH (u)-[:PART_OF]->(d:Document)
RETURN u.id AS id, d.id AS document_id, d.title AS document_title, u.headings AS headings
