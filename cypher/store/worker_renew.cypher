MATCH (w:Worker {id: $worker})
SET w.expires = timestamp() + $lease_ms
RETURN w.id AS id
