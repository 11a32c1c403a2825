// How communities came about: sizes of each line over time, with splits and merges; newest first.
:param workspace => 'default';
MATCH (s:LineageStep {workspace: $workspace})
MATCH (g:Graphwright {workspace: $workspace}) WHERE s.generation <= g.generation
OPTIONAL MATCH (now:__Community__ {workspace: $workspace, lineage: s.lineage})
WHERE now.from <= g.generation AND (now.to IS NULL OR now.to > g.generation)
RETURN s.period AS period, s.generation AS generation, s.event AS event, s.title AS title, s.level AS level,
       s.size AS size, size(s.others) AS others, s.lineage AS lineage, now.title AS now
ORDER BY generation DESC, size DESC, title LIMIT 100;
