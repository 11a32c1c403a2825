// The number of entities now, and at the end of the last run.
MATCH (g:Graphwright {workspace: $workspace})
RETURN COUNT { MATCH (e:__Entity__) WHERE e.workspace = $workspace AND e.id IS NOT NULL } AS now,
       coalesce(g.entity_count, -1) AS before
