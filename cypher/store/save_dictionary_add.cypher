UNWIND $rows AS row
MERGE (n:DictionaryName {id: row.id})
SET n.workspace = $workspace, n.key = row.key
