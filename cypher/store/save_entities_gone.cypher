UNWIND $ids AS id
MATCH (e:__Entity__ {id: id}) WHERE e.workspace = $workspace
DETACH DELETE e
RETURN id
