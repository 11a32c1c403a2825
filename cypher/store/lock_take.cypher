MATCH (l:Lock {id: $lock})
WITH l, coalesce(l.completed = l.token, false) AS complete
SET l.holder = $worker, l.token = l.token + 1
RETURN l.token AS token, complete
