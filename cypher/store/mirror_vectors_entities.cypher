UNWIND $rows AS row
MATCH (n:__Entity__ {id: row.id}) WHERE coalesce(n.workspace, '') = $workspace
CALL db.create.setNodeVectorProperty(n, 'embedding', row.vector)
