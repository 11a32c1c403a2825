MATCH (n:TreeNode) WHERE n.workspace = $workspace AND n.vector_pending > ''
WITH n ORDER BY n.workspace, n.vector_pending LIMIT $limit
RETURN n.id AS id, n.document_id AS document, n.level AS level, n.text AS text, n.token_count AS token_count,
       n.children AS children, n.text_unit_id AS text_unit, n.start_offset AS start, n.end_offset AS end,
       n.stamp AS stamp, n.vector_fingerprint AS stored_fingerprint
