UNWIND $rows AS row
MATCH (q:Question {id: row.question}) WHERE coalesce(q.workspace, '') = $workspace
MATCH (e:__Entity__ {id: row.entity}) WHERE coalesce(e.workspace, '') = $workspace
MERGE (q)-[:ABOUT]->(e)
