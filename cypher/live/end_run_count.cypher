// Keeps the number of entities, so that the next run sees whether some were deleted by hand.
MATCH (g:Graphwright {workspace: $workspace})
SET g.entity_count = COUNT { MATCH (e:__Entity__) WHERE e.workspace = $workspace AND e.id IS NOT NULL }
