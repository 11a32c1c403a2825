UNWIND $ids AS id
MATCH (t:VectorTombstone {id: id}) WHERE t.workspace = $workspace
DELETE t
