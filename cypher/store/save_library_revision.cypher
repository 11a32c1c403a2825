MATCH (g:Graphwright {workspace: $workspace})
SET g.library_revision = coalesce(g.library_revision, $first) + 1
