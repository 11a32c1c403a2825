MERGE (l:Lock {id: $id}) ON CREATE SET l.workspace = $workspace, l.token = 0, l.expires = 0
SET l._lock = 1
WITH l, l.expires < timestamp() OR l.session = $session AS free
SET l.token = CASE WHEN NOT free OR (l.session = $session AND l.expires >= timestamp()) THEN l.token
                   ELSE l.token + 1 END,
    l.owner = CASE WHEN free THEN $owner ELSE l.owner END,
    l.session = CASE WHEN free THEN $session ELSE l.session END,
    l.expires = CASE WHEN free THEN timestamp() + $lease_ms ELSE l.expires END
RETURN free, l.token AS token, l.owner AS owner, l.expires - timestamp() AS remaining_ms
