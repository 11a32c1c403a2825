MATCH (u:TextUnit) WHERE u.workspace = $workspace AND u.todo_extraction > $after
    AND NOT coalesce(u.leased_by, '') IN $others
RETURN u.id AS id, coalesce(u.fence, 0) AS fence ORDER BY u.workspace, u.todo_extraction LIMIT $limit
