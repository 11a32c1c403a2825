MATCH (g:Graphwright {workspace: $workspace}) WHERE g.keeps_changed_names
UNWIND $rows AS row
MERGE (n:ChangedName {id: row.id})
SET n.workspace = $workspace, n.key = row.key
