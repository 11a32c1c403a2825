UNWIND $rows AS row
MATCH (n:TreeNode {id: row.id}) WHERE coalesce(n.workspace, '') = $workspace
SET n.vector_fingerprint = row.fingerprint, n.vector_pending = null
