MATCH (c:Clustered) WHERE c.workspace = $workspace AND NOT c:__Entity__ AND c.generation < $generation
DELETE c
