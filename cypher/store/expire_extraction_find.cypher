MATCH (u:TextUnit) WHERE u.workspace = $workspace AND u.id IS NOT NULL
AND (u.extraction_error IS NOT NULL
  OR u.extraction <> $settings AND NOT u.extraction IN $read_elsewhere AND NOT u.extraction STARTS WITH $settings + '/')
RETURN u.id AS id
