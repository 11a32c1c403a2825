MATCH (w:Worker {workspace: $workspace}) WHERE w.expires < timestamp()
DELETE w
