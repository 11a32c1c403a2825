UNWIND $rows AS row
MATCH (q:Question {id: row.question}) WHERE coalesce(q.workspace, '') = $workspace
MERGE (v:Question {id: row.id})
SET v.workspace = $workspace, v.text = row.text, v.language = q.language, v.vector_pending = row.id
MERGE (v)-[r:VARIANT_OF]->(q)
SET r.order = row.order
