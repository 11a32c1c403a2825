UNWIND $rows AS row
MATCH (c:Community {id: row.community})
CREATE (c)-[:HAS_FINDING]->(f:Finding {id: row.id, workspace: $workspace, index: row.index,
  summary: row.summary, explanation: row.explanation, citations: row.citations})
