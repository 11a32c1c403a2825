UNWIND $ids AS id
MATCH (c:Community {id: id}) WHERE c.workspace = $workspace AND c.to IS NULL
SET c.to = $generation
WITH c
MATCH (c)-[p:PARENT_COMMUNITY]->() WHERE p.to IS NULL
SET p.to = $generation
