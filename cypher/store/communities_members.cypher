MATCH (c:Community) WHERE c.workspace = $workspace AND c.from <= $generation
AND (c.to IS NULL OR c.to > $generation)
WITH c WHERE c.leaf
RETURN c.id AS id, c.member_ids AS members
