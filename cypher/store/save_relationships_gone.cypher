UNWIND $ids AS id
MATCH (a)-[r:RELATED {id: id}]->(b) WHERE r.workspace = $workspace
WITH r, a.id AS one, b.id AS other
DELETE r
RETURN one, other
