UNWIND $ids AS id
MERGE (t:VectorTombstone {id: id})
SET t.workspace = $workspace, t.kind = $kind
