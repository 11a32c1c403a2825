UNWIND $ids AS id
MATCH (d:Document {id: id}) WHERE d.workspace = $workspace
SET d._lock = 1
WITH d
MATCH (u:TextUnit)-[:PART_OF]->(d) WHERE coalesce(u.workspace, '') = $workspace
RETURN u.id AS id
