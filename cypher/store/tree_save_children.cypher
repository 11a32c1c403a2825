UNWIND $rows AS row
MATCH (parent:TreeNode {id: row.parent}) WHERE parent.workspace = $workspace
MATCH (child:TreeNode {id: row.child})
MERGE (child)-[:SUMMARIZED_BY]->(parent)
