UNWIND $rows AS row
MATCH (a:Answer {id: row.answer}) WHERE coalesce(a.workspace, '') = $workspace
MATCH (u:TextUnit {id: row.text_unit}) WHERE coalesce(u.workspace, '') = $workspace
CREATE (a)-[:CITES {start: row.start, end: row.end}]->(u)
