MATCH (g:Graphwright {workspace: $workspace}) WHERE g.generation > 0
UNWIND $ids AS id
MATCH (:__Entity__ {id: id})<-[:OBJECT]-(c:Claim)-[:SUBJECT]->(e:__Entity__) WHERE c.workspace = $workspace
WITH DISTINCT e
SET e.unreported = e.id
