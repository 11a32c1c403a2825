MATCH (c:Clustered) WHERE c.workspace = $workspace AND NOT c:__Entity__
RETURN c.place AS place, c.generation AS generation, c.settings AS settings, c.keys AS keys, c.sums AS sums
