UNWIND $ids AS id
MATCH (a)-[r:RELATED {id: id}]->(b)
WITH a, b, r, properties(r) AS properties
DELETE r
CREATE (b)-[turned:RELATED]->(a)
SET turned = properties
