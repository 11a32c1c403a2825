RETURN
  COUNT { MATCH (d:Document) WHERE d.workspace = $workspace AND d.key IS NOT NULL AND NOT d:__Entity__ } AS documents,
  COUNT { MATCH (u:TextUnit) WHERE u.workspace = $workspace AND u.id IS NOT NULL AND NOT u:__Entity__ } AS text_units
