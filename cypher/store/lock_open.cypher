MERGE (l:Lock {id: $lock}) ON CREATE SET l.workspace = $workspace, l.token = 0
SET l._lock = 1
