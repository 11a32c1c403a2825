UNWIND $ids AS id
MATCH (n:TreeNode {id: id})
WHERE coalesce(n.workspace, '') = $workspace AND n.from <= $generation AND (n.to IS NULL OR n.to > $generation)
RETURN n.id AS id, n.document_id AS document, n.level AS level, n.text AS text, n.token_count AS token_count,
       n.children AS children, n.text_unit_id AS text_unit, n.start_offset AS start, n.end_offset AS end,
       n.stamp AS stamp
