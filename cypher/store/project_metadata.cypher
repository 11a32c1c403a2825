UNWIND $rows AS row
MATCH (d:Document {id: row.id}) WHERE d.workspace = $workspace
SET d += row.properties, d.metadata_keys = row.keys
