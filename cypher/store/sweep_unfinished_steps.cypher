MATCH (s:LineageStep) WHERE s.workspace = $workspace AND s.generation > $generation
DELETE s
