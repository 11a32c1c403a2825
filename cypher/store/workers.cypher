MATCH (w:Worker {workspace: $workspace}) WHERE w.expires >= timestamp() AND NOT w:__Entity__
OPTIONAL MATCH (l:Lock {id: $lock})
RETURN w.id AS id, w.name AS name, w.run AS run, w.expires AS expires, w.expires - timestamp() AS remaining_ms,
    coalesce(l.holder = w.id, false) AS leads
ORDER BY remaining_ms DESC, id
