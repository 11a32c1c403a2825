MATCH (n:DictionaryName) WHERE n.workspace = $workspace AND n.id IS NOT NULL AND NOT n:__Entity__
RETURN n.key AS key
