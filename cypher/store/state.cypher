MATCH (g:Graphwright {workspace: $workspace})
RETURN g.generation AS generation, g.settings AS settings
