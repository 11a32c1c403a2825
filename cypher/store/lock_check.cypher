MATCH (l:Lock {id: $id})
SET l._lock = 1
WITH l WHERE l.session = $session AND l.token = $token
RETURN l.token AS token
