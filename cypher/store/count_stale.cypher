RETURN
  COUNT { MATCH (u:TextUnit) WHERE u.workspace = $workspace AND u.id IS NOT NULL AND u.extraction_error IS NULL
          AND u.extraction <> $extraction AND NOT u.extraction IN ['imported', 'adopted'] AND NOT u.extraction STARTS WITH $extraction + '/' } AS text_units,
  COUNT { MATCH (e:__Entity__) WHERE e.workspace = $workspace AND e.id IS NOT NULL
          AND NOT e.summary_fingerprint STARTS WITH $summaries + '/' }
  + COUNT { MATCH ()-[r:RELATED]->() WHERE r.workspace = $workspace AND r.id IS NOT NULL
            AND NOT r.summary_fingerprint STARTS WITH $summaries + '/' } AS summaries,
  COUNT { MATCH (c:Community) WHERE c.workspace = $workspace AND c.from <= $generation
          AND (c.to IS NULL OR c.to > $generation) AND NOT c.composed AND NOT c:__Entity__
          AND NOT c.fingerprint STARTS WITH $reports AND NOT c.fingerprint STARTS WITH 'unwritten-'
          AND NOT c.fingerprint STARTS WITH 'imported-' } AS reports
