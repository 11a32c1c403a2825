MATCH (n:TreeNode) WHERE n.workspace = $workspace AND n.document_id = $document AND NOT n:__Entity__
RETURN n.id AS id
