MERGE (l:Lock {id: $lock}) ON CREATE SET l.workspace = $workspace
SET l._lock = 1
