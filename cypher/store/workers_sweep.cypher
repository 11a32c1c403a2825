MATCH (w:Worker {workspace: $workspace}) WHERE w.expires < timestamp() AND NOT w:__Entity__
DELETE w
