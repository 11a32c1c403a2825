UNWIND $ids AS id
MATCH (n:TreeNode {id: id}) WHERE coalesce(n.workspace, '') = $workspace
DETACH DELETE n
