MATCH (g:Graphwright {workspace: $workspace})
SET g.keeps_changed_names = true
