MATCH (c:Community) WHERE c.workspace = $workspace AND c.from <= $generation
AND (c.to IS NULL OR c.to > $generation)
MATCH (c)-[:HAS_FINDING]->(f:Finding)
RETURN c.id AS community, f.index AS index, f.summary AS summary, f.explanation AS explanation,
       f.citations AS citations
