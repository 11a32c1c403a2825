UNWIND $rows AS row
MATCH (d:Document {id: row.id}) WHERE d.workspace = $workspace
SET d.indexed_at = CASE WHEN row.indexed_at IS NULL THEN null ELSE datetime(row.indexed_at) END
