RETURN COUNT {
  MATCH (c:Community) WHERE c.workspace = $workspace AND c.from <= $generation
  AND (c.to IS NULL OR c.to > $generation) AND NOT c:__Entity__ AND c.fingerprint STARTS WITH 'unwritten-'
} AS reports
