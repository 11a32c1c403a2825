UNWIND $rows AS row
MERGE (s:LineageStep {id: row.id}) ON CREATE SET s.workspace = $workspace
SET s += row.properties
