MATCH (u:TextUnit) WHERE u.workspace = $workspace AND u.todo_words > ''
RETURN u.id AS id, u.text AS text ORDER BY u.workspace, u.todo_words LIMIT $limit
