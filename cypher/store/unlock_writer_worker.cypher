MATCH (w:Worker {id: $worker})
DELETE w
