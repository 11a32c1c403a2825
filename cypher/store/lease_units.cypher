MATCH (u:TextUnit) WHERE u.workspace = $workspace AND u.todo_extraction > $after
    AND NOT EXISTS { MATCH (w:Worker {id: u.leased_by}) WHERE w.id <> $worker AND w.expires >= timestamp() }
WITH u ORDER BY u.workspace, u.todo_extraction LIMIT $limit
SET u._lock = 1
WITH u WHERE u.todo_extraction IS NOT NULL
SET u.leased_by = $worker, u.fence = coalesce(u.fence, 0) + 1
RETURN u.id AS id, u.fence AS fence
