UNWIND $ids AS id
MATCH (n:TreeNode {id: id}) WHERE n.workspace = $workspace
DETACH DELETE n
