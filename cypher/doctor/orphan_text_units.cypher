// Text units that belong to no document.
MATCH (u:TextUnit) WHERE u.workspace = $workspace AND u.id IS NOT NULL AND NOT u:__Entity__
AND NOT EXISTS { (u)-[:PART_OF]->(:Document) }
RETURN u.id AS id ORDER BY id LIMIT $limit
