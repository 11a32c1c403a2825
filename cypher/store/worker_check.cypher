MATCH (w:Worker {id: $worker})
SET w._lock = 1
RETURN w.id AS id
