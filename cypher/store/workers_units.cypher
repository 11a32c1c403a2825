MATCH (u:TextUnit) WHERE u.workspace = $workspace AND u.todo_extraction > '' AND u.leased_by IS NOT NULL
RETURN u.leased_by AS id, count(*) AS count
