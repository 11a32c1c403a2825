MATCH (w:Worker {workspace: $workspace}) WHERE w.expires >= timestamp()
RETURN w.id AS id
