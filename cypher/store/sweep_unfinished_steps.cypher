MATCH (s:LineageStep) WHERE s.workspace = $workspace AND NOT s:__Entity__ AND s.generation > $generation
DELETE s
