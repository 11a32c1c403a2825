UNWIND $rows AS row
MERGE (a:Alias {id: row.id})
SET a.workspace = $workspace, a.key = row.key, a.canonical = row.canonical
