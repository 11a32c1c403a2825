MATCH (l:Lock {id: $lock})
SET l._lock = 1
WITH l WHERE l.holder = $worker AND l.token = $token
RETURN l.holder AS id
