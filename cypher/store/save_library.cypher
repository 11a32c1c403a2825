UNWIND $rows AS row
MERGE (q:Question {id: row.id})
SET q = row.question, q.id = row.id, q.workspace = $workspace
MERGE (a:Answer {id: row.answer_id})
SET a = row.answer, a.id = row.answer_id, a.workspace = $workspace
MERGE (q)-[:HAS_ANSWER]->(a)
