MATCH (u:TextUnit) WHERE u.workspace = $workspace AND u.id IS NOT NULL AND u.extraction_error IS NOT NULL
RETURN u.id AS id
