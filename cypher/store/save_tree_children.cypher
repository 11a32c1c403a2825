UNWIND $rows AS row
MATCH (parent:TreeNode {id: row.parent}) WHERE coalesce(parent.workspace, '') = $workspace
MATCH (child:TreeNode {id: row.child})
MERGE (child)-[:SUMMARIZED_BY]->(parent)
