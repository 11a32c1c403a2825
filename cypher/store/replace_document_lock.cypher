MERGE (d:Document {id: $id}) ON CREATE SET d.workspace = $workspace
SET d._lock = 1
RETURN d.key AS key, d.title AS title
