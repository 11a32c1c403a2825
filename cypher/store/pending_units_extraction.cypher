MATCH (u:TextUnit) WHERE u.workspace = $workspace AND u.todo_extraction > $after
RETURN u.id AS id ORDER BY u.workspace, u.todo_extraction LIMIT $limit
