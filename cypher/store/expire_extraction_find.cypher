MATCH (u:TextUnit) WHERE u.workspace = $workspace AND u.id IS NOT NULL AND u.extraction IS NOT NULL
AND split(u.extraction, '/')[0] <> $settings
RETURN u.id AS id
