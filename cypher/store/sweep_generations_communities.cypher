MATCH (c:Community) WHERE c.workspace = $workspace AND c.from IS NOT NULL AND c.to <= $generation AND NOT c:__Entity__
RETURN c.id AS id
