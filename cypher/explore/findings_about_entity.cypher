// Findings that cite an entity, with the report each stands in.
:param workspace => 'default';
:param name => 'Scrooge';
MATCH (g:Graphwright {workspace: $workspace})
MATCH (e:__Entity__ {workspace: $workspace, name: $name})-[:IN_COMMUNITY]->(:Community)-[:PARENT_COMMUNITY*0..10]->(c:Community)
WHERE c.from <= g.generation AND (c.to IS NULL OR c.to > g.generation)
MATCH (c)-[:HAS_FINDING]->(f:Finding)
WITH DISTINCT e, c, f
RETURN c.title AS report, c.level AS level, f.summary AS finding, f.explanation AS explanation,
       f.citations CONTAINS e.id AS cites_the_entity
ORDER BY cites_the_entity DESC, level, report, f.index;
