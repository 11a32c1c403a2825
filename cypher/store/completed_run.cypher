MATCH (g:Graphwright {workspace: $workspace})
WHERE g.completed_run IS NOT NULL
RETURN g.completed_run AS run
