UNWIND $rows AS row
MERGE (q:Question {id: row.id})
WITH row, q, q.vector_fingerprint AS fingerprint, q.vector_pending AS pending
SET q = row.question, q.id = row.id, q.workspace = $workspace,
    q.vector_fingerprint = CASE WHEN row.same THEN fingerprint END,
    q.vector_pending = CASE WHEN row.same THEN pending ELSE row.id END
MERGE (a:Answer {id: row.answer_id})
WITH row, q, a, a.vector_fingerprint AS fingerprint, a.vector_pending AS pending
SET a = row.answer, a.id = row.answer_id, a.workspace = $workspace,
    a.vector_fingerprint = CASE WHEN row.same THEN fingerprint END,
    a.vector_pending = CASE WHEN row.same THEN pending ELSE row.answer_id END
MERGE (q)-[:HAS_ANSWER]->(a)
