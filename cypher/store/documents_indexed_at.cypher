UNWIND $ids AS id
MATCH (d:Document {id: id}) WHERE d.workspace = $workspace AND d.indexed_at IS NOT NULL
RETURN d.id AS id, toString(d.indexed_at) AS indexed_at
