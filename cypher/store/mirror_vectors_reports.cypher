UNWIND $rows AS row
MATCH (n:Community {id: row.id}) WHERE n.workspace = $workspace
CALL db.create.setNodeVectorProperty(n, 'embedding', row.vector)
