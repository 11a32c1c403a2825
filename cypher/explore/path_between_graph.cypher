// The shortest paths between two entities, as a graph.
:param workspace => 'default';
:param from => 'Marley';
:param to => 'Camden Town';
MATCH (a:__Entity__ {workspace: $workspace, name: $from}), (b:__Entity__ {workspace: $workspace, name: $to})
MATCH path = allShortestPaths((a)-[:RELATED*..6]-(b))
RETURN path LIMIT 25;
