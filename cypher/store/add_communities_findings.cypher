UNWIND $rows AS row
MATCH (c:Community {id: row.community})
MERGE (f:Finding {id: row.id})
SET f.workspace = $workspace, f.index = row.index, f.summary = row.summary, f.explanation = row.explanation,
    f.citations = row.citations
MERGE (c)-[:HAS_FINDING]->(f)
