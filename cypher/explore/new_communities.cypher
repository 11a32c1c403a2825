// Communities of the smallest kind of which no member is named before a day, with the first period that names one.
:param workspace => 'default';
:param since => '1843-01-01';
MATCH (g:Graphwright {workspace: $workspace})
MATCH (c:__Community__ {workspace: $workspace, leaf: true})
WHERE c.from <= g.generation AND (c.to IS NULL OR c.to > g.generation)
MATCH (c)<-[:IN_COMMUNITY]-(e:__Entity__)-[i:IN_PERIOD]->(p:Period)
WITH c, min(p.from) AS first, count(DISTINCT e) AS members, sum(i.mentions) AS mentions
WHERE first >= date($since)
RETURN c.title AS title, toString(first) AS first, members, mentions, c.summary AS summary
ORDER BY first, mentions DESC, title LIMIT 50;
