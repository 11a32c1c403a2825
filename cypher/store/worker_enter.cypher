MERGE (w:Worker {id: $worker})
SET w.workspace = $workspace, w.name = $name, w.run = $run, w.expires = timestamp() + $lease_ms
