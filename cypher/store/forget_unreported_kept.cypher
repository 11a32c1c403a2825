MATCH (g:Graphwright {workspace: $workspace})
SET g.keeps_unreported = true
