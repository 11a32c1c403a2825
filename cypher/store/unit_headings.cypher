UNWIND $ids AS id
MATCH (u:TextUnit {id: id}) WHERE coalesce(u.workspace, '') = $workspace
MATCH (u)-[:PART_OF]->(d:Document)
RETURN collect([id, d.id, d.title, u.headings]) AS rows
