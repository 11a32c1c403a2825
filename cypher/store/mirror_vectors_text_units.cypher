UNWIND $rows AS row
MATCH (n:TextUnit {id: row.id}) WHERE coalesce(n.workspace, '') = $workspace
CALL db.create.setNodeVectorProperty(n, 'embedding', row.vector)
