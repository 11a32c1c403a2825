MATCH (l:Lock {id: $id})
SET l._lock = 1
WITH l WHERE l.session = $session AND l.token = $token
SET l.expires = 0
