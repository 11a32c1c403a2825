MATCH (n:TreeNode) WHERE n.workspace = $workspace AND n.document_id = $document AND n.to IS NULL AND NOT n:__Entity__
RETURN n.id AS id
