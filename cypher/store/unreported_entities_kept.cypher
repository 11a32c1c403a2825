MATCH (g:Graphwright {workspace: $workspace})
RETURN coalesce(g.keeps_unreported, false) AS kept
