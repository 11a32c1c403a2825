// Claims without the text unit that says them, or without the entity that they are said of.
MATCH (c:Claim) WHERE c.workspace = $workspace AND c.id IS NOT NULL AND NOT c:__Entity__
AND (NOT EXISTS { (:TextUnit)-[:HAS_CLAIM]->(c) } OR NOT EXISTS { (c)-[:SUBJECT]->(:__Entity__) })
RETURN c.id AS id ORDER BY id LIMIT $limit
