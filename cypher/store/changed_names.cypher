MATCH (g:Graphwright {workspace: $workspace})
RETURN coalesce(g.keeps_changed_names, false) AS kept,
  COLLECT {
    MATCH (n:ChangedName) WHERE n.workspace = $workspace AND n.id IS NOT NULL
    RETURN n.key AS key LIMIT $limit
  } AS keys
