MATCH (g:Graphwright {workspace: $workspace})
RETURN coalesce(g.library_revision, 0) AS count
