MATCH (n:TreeNode) WHERE n.workspace = $workspace AND n.from IS NOT NULL AND n.to <= $generation AND NOT n:__Entity__
RETURN n.id AS id
