UNWIND $ids AS id
MATCH ()-[r:RELATED {id: id}]->() WHERE r.workspace = $workspace
RETURN r.id AS id
