UNWIND $beginnings AS beginning
MATCH (n:DictionaryName) WHERE n.workspace = $workspace AND n.key STARTS WITH beginning AND NOT n:__Entity__
RETURN n.key AS key
