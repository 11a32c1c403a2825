UNWIND $rows AS row
MERGE (e:__Entity__ {id: row.id})
ON CREATE SET e:Entity, e.workspace = $workspace, e.name = row.name
SET e.dirty = row.id
