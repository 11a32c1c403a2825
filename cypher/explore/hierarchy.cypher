// The hierarchy of communities, as a graph: children point to their parents.
:param workspace => 'default';
MATCH (g:Graphwright {workspace: $workspace})
MATCH path = (:__Community__ {workspace: $workspace})-[p:PARENT_COMMUNITY]->(:__Community__)
WHERE p.from <= g.generation AND (p.to IS NULL OR p.to > g.generation)
RETURN path LIMIT 300;
