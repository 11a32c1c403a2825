// Entities that may be one: one's name stands in the other's and they share neighbours.
:param workspace => 'default';
:param shared => 1;
MATCH (a:__Entity__)-[:RELATED]-(n:__Entity__)-[:RELATED]-(b:__Entity__)
WHERE a.workspace = $workspace AND n.workspace = $workspace AND a.id < b.id AND size(a.name) > 2 AND size(b.name) > 2
AND (toLower(a.name) CONTAINS toLower(b.name) OR toLower(b.name) CONTAINS toLower(a.name))
WITH a, b, collect(DISTINCT n.name) AS neighbours WHERE size(neighbours) >= $shared
RETURN a.name AS one, b.name AS other, neighbours[..10] AS shared_neighbours
ORDER BY size(neighbours) DESC, one LIMIT 50;
