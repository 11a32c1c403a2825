RETURN
  COUNT { MATCH (d:Document) WHERE d.workspace = $workspace AND d.key IS NOT NULL AND NOT d:__Entity__ } AS documents,
  COUNT { MATCH (u:TextUnit) WHERE u.workspace = $workspace AND u.id IS NOT NULL AND NOT u:__Entity__ } AS text_units,
  COUNT { MATCH (e:__Entity__) WHERE e.workspace = $workspace AND e.id IS NOT NULL } AS all_entities,
  COUNT { MATCH (e:__Entity__) WHERE e.workspace = $workspace AND e.dirty IS NOT NULL
          AND e.text_unit_count IS NULL } AS new_entities,
  COUNT { MATCH ()-[r:RELATED]->() WHERE r.workspace = $workspace AND r.id IS NOT NULL } AS all_relationships,
  COUNT { MATCH ()-[r:RELATED]->() WHERE r.workspace = $workspace AND r.dirty IS NOT NULL
          AND r.weight IS NULL } AS new_relationships,
  COUNT { MATCH (c:Claim) WHERE c.workspace = $workspace AND c.id IS NOT NULL AND NOT c:__Entity__ } AS claims,
  COUNT { MATCH (c:Community) WHERE c.workspace = $workspace AND c.from <= $generation
          AND (c.to IS NULL OR c.to > $generation) AND NOT c:__Entity__ } AS communities,
  COUNT { MATCH (c:Community) WHERE c.workspace = $workspace AND c.from <= $generation
          AND (c.to IS NULL OR c.to > $generation) AND NOT c.composed AND NOT c:__Entity__ } AS reports,
  COUNT { MATCH (f:AtomicFact) WHERE f.workspace = $workspace AND NOT f:__Entity__ } AS atomic_facts
