MATCH (g:Graphwright {workspace: $workspace})
WHERE g.completed_run IS NOT NULL
REMOVE g.completed_run
