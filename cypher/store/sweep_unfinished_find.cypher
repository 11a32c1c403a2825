MATCH (c:Community) WHERE c.workspace = $workspace AND NOT c:__Entity__ AND (c.from IS NULL OR c.from > $generation)
RETURN c.id AS id
