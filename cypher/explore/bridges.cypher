// Bridges: entities whose neighbours sit in the most different communities.
:param workspace => 'default';
MATCH (g:Graphwright {workspace: $workspace})
MATCH (e:__Entity__) WHERE e.workspace = $workspace AND e.degree > 1
MATCH (e)-[:RELATED]-(:__Entity__)-[:IN_COMMUNITY]->(c:Community)
WHERE c.from <= g.generation AND (c.to IS NULL OR c.to > g.generation)
WITH e, count(DISTINCT c) AS communities WHERE communities > 1
RETURN e.name AS name, e.type AS type, communities, e.degree AS degree
ORDER BY communities DESC, degree DESC, name LIMIT 25;
