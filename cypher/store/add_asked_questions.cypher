UNWIND $rows AS row
MERGE (a:AskedQuestion {id: row.id})
ON CREATE SET a.workspace = $workspace, a.question = row.question, a.count = 0, a.last = row.last
SET a.count = a.count + row.count, a.outcome = row.outcome,
    a.last = CASE WHEN a.last > row.last THEN a.last ELSE row.last END
