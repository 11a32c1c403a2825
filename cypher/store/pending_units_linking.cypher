MATCH (u:TextUnit) WHERE u.workspace = $workspace AND u.todo_linking > $after
RETURN u.id AS id ORDER BY u.workspace, u.todo_linking LIMIT $limit
