MATCH (c:Clustered) WHERE c.workspace = $workspace AND NOT c:__Entity__
AND (c.generation <> $current OR c.generation = $generation)
DELETE c
