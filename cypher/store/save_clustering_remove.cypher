MATCH (c:Clustered) WHERE c.workspace = $workspace AND NOT c:__Entity__
DELETE c
