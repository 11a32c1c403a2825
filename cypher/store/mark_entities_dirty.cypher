UNWIND $ids AS id
MATCH (e:__Entity__ {id: id}) WHERE e.workspace = $workspace
SET e.dirty = id
