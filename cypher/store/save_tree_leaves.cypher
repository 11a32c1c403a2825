UNWIND $rows AS row
MATCH (leaf:TreeNode {id: row.id}) WHERE coalesce(leaf.workspace, '') = $workspace
MATCH (u:TextUnit {id: row.text_unit})
MERGE (u)-[:HAS_LEAF]->(leaf)
