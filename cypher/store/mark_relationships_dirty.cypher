UNWIND $ids AS id
MATCH ()-[r:RELATED {id: id}]->() WHERE r.workspace = $workspace
SET r.dirty = id
