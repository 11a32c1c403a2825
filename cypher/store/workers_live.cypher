MATCH (w:Worker {workspace: $workspace}) WHERE w.expires >= timestamp() AND NOT w:__Entity__
RETURN w.id AS id
