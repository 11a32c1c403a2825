MATCH (e:__Entity__) WHERE e.workspace = $workspace AND e.id IS NOT NULL
MATCH (e)-[s:SAME_AS {graph: $graph}]->() WHERE s.workspace = $workspace
RETURN count(s) AS count
