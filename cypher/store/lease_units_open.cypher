MATCH (l:Lock {id: $lock})
SET l._lock = 1
WITH l WHERE l.holder = $worker
SET l.opened = l.token
