MATCH (u:TextUnit) WHERE u.workspace = $workspace AND u.id > $after
RETURN u.id AS id ORDER BY u.workspace, u.id LIMIT $limit
