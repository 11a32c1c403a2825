MATCH (c:Community) WHERE c.workspace = $workspace AND c.from <= $generation
AND (c.to IS NULL OR c.to > $generation)
MATCH (e:__Entity__)-[:IN_COMMUNITY]->(c)
RETURN c.id AS id, collect(e.id) AS members
