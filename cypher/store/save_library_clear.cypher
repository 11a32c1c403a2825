UNWIND $ids AS id
MATCH (q:Question {id: id}) WHERE coalesce(q.workspace, '') = $workspace
OPTIONAL MATCH (q)-[r:FOLLOWED_BY|ABOUT|RELATED_TO]->()
DELETE r
WITH DISTINCT q
OPTIONAL MATCH (q)-[:HAS_ANSWER]->(:Answer)-[c:CITES|CHANGED_TO]->()
DELETE c
