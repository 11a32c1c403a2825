// The shortest path between two entities, with the sentences behind each step.
:param workspace => 'default';
:param from => 'Marley';
:param to => 'Camden Town';
MATCH (a:__Entity__ {workspace: $workspace, name: $from}), (b:__Entity__ {workspace: $workspace, name: $to})
MATCH path = shortestPath((a)-[:RELATED*..6]-(b))
UNWIND relationships(path) AS r
RETURN startNode(r).name AS source, r.type AS relationship, endNode(r).name AS target, r.weight AS weight,
       r.descriptions[..3] AS sentences;
