// The communities of one level, best ranked first.
:param workspace => 'default';
:param level => 0;
MATCH (g:Graphwright {workspace: $workspace})
MATCH (c:__Community__ {workspace: $workspace, level: $level})
WHERE c.from <= g.generation AND (c.to IS NULL OR c.to > g.generation)
RETURN c.title AS title, c.size AS size, c.rank AS rank, c.summary AS summary
ORDER BY rank DESC, size DESC, title LIMIT 50;
