MATCH (l:Lock {id: $lock})
RETURN l.token AS turn, coalesce(l.opened = l.token, false) AS open
