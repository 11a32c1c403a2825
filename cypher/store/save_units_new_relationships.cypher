UNWIND $rows AS row
MATCH (low:__Entity__ {id: row.low}) MATCH (high:__Entity__ {id: row.high})
CREATE (low)-[:RELATED {id: row.id, workspace: $workspace, dirty: row.id, type: row.types[0],
  description: row.descriptions[0], text_unit_ids: row.text_unit_ids, types: row.types,
  descriptions: row.descriptions, strengths: row.strengths, forwards: row.forwards}]->(high)
