// A community's report, its findings and its leading members.
:param workspace => 'default';
:param title => 'The office';
MATCH (g:Graphwright {workspace: $workspace})
MATCH (c:__Community__ {workspace: $workspace, title: $title})
WHERE c.from <= g.generation AND (c.to IS NULL OR c.to > g.generation)
CALL (c) {
  MATCH (c)-[:HAS_FINDING]->(f:Finding)
  WITH f ORDER BY f.index
  RETURN collect(f.summary) AS findings
}
CALL (c, g) {
  MATCH (c)<-[steps:PARENT_COMMUNITY*0..10]-(:Community)<-[:IN_COMMUNITY]-(e:__Entity__)
  WHERE all(step IN steps WHERE step.from <= g.generation AND (step.to IS NULL OR step.to > g.generation))
  WITH DISTINCT e ORDER BY e.degree DESC, e.name LIMIT 20
  RETURN collect(e.name) AS members
}
RETURN c.title AS title, c.level AS level, c.size AS size, c.rank AS rank, c.summary AS summary, findings, members;
