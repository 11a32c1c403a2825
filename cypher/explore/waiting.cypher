// What waits for the next run: text units to be read or linked, sums to be made, vectors to be written.
:param workspace => 'default';
RETURN
  COUNT { MATCH (u:TextUnit) WHERE u.workspace = $workspace AND u.todo_extraction IS NOT NULL } AS extraction,
  COUNT { MATCH (u:TextUnit) WHERE u.workspace = $workspace AND u.todo_linking IS NOT NULL } AS linking,
  COUNT { MATCH (e:__Entity__) WHERE e.workspace = $workspace AND e.dirty IS NOT NULL } AS entities,
  COUNT { MATCH ()-[r:RELATED]->() WHERE r.workspace = $workspace AND r.dirty IS NOT NULL } AS relationships,
  COUNT { MATCH (u:TextUnit) WHERE u.workspace = $workspace AND u.vector_pending IS NOT NULL }
  + COUNT { MATCH (e:__Entity__) WHERE e.workspace = $workspace AND e.vector_pending IS NOT NULL }
  + COUNT { MATCH (c:Community) WHERE c.workspace = $workspace AND c.vector_pending IS NOT NULL } AS vectors;
