MATCH (n:TreeNode) WHERE n.workspace = $workspace AND n.from IS NOT NULL AND n.to > $generation
SET n.to = null
