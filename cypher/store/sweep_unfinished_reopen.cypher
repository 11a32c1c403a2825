MATCH (c:Community) WHERE c.workspace = $workspace AND c.from IS NOT NULL AND c.to > $generation
SET c.to = null
