UNWIND $rows AS row
MATCH (c:Community {id: row.id})-[old:PARENT_COMMUNITY]->(q:Community)
WHERE c.workspace = $workspace AND old.to IS NULL AND (row.parent IS NULL OR q.id <> row.parent)
FOREACH (r IN CASE WHEN old.from < $generation THEN [old] ELSE [] END | SET r.to = $generation)
FOREACH (r IN CASE WHEN old.from < $generation THEN [] ELSE [old] END | DELETE r)
