// Makes the vectors of nodes pending.
UNWIND $ids AS id
MATCH (n:Community {id: id}) WHERE n.workspace = $workspace
SET n.vector_pending = id
