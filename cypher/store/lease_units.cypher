UNWIND $rows AS row
MATCH (u:TextUnit {id: row.id}) WHERE coalesce(u.workspace, '') = $workspace
SET u._lock = 1
WITH u, row WHERE u.todo_extraction IS NOT NULL AND coalesce(u.fence, 0) = row.fence
SET u.leased_by = $worker, u.fence = row.fence + 1
RETURN u.id AS id, u.fence AS fence
