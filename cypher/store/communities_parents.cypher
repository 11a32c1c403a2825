MATCH (c:Community) WHERE c.workspace = $workspace AND c.from <= $generation
AND (c.to IS NULL OR c.to > $generation)
MATCH (c)-[p:PARENT_COMMUNITY]->(parent:Community)
WHERE p.from <= $generation AND (p.to IS NULL OR p.to > $generation)
RETURN c.id AS id, parent.id AS parent
