MATCH ()-[r:RELATED]->() WHERE r.workspace = $workspace AND r.dirty > ''
WITH r ORDER BY r.workspace, r.dirty LIMIT $limit
RETURN r.id AS id, size(r.text_unit_ids) AS pieces
