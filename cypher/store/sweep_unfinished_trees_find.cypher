MATCH (n:TreeNode) WHERE n.workspace = $workspace AND NOT n:__Entity__ AND (n.from IS NULL OR n.from > $generation)
RETURN n.id AS id
