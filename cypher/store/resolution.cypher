MATCH (a:Alias) WHERE a.workspace = $workspace AND a.id IS NOT NULL AND NOT a:__Entity__
RETURN a.key AS key, a.canonical AS canonical
