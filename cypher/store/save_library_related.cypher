UNWIND $rows AS row
MATCH (q:Question {id: row.question}) WHERE coalesce(q.workspace, '') = $workspace
MATCH (o:Question {id: row.other}) WHERE coalesce(o.workspace, '') = $workspace
MERGE (q)-[r:RELATED_TO]->(o)
SET r.weight = row.weight
