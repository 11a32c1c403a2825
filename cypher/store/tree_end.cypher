UNWIND $ids AS id
MATCH (n:TreeNode {id: id}) WHERE n.workspace = $workspace
SET n.to = $generation
