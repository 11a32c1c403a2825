// Makes the vectors of nodes pending.
UNWIND $ids AS id
MATCH (n:TextUnit {id: id}) WHERE coalesce(n.workspace, '') = $workspace
SET n.vector_pending = id
