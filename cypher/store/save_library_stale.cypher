UNWIND $rows AS row
MATCH (a:Answer {id: row.answer}) WHERE coalesce(a.workspace, '') = $workspace
MATCH (u:TextUnit {id: row.text_unit}) WHERE coalesce(u.workspace, '') = $workspace
CREATE (a)-[:CHANGED_TO {was: row.was, now: row.now}]->(u)
