UNWIND $elements AS element
MATCH (n) WHERE elementId(n) = element
MATCH (e:__Entity__)-[s:SAME_AS]->(n)
WHERE coalesce(e.workspace, '') = $workspace AND e.id IS NOT NULL AND s.workspace = $workspace AND s.graph = $graph
RETURN DISTINCT e.id AS entity, element
