// Marks work, so that a run finds it.
UNWIND $ids AS id
CALL (id) {
  MATCH (u:TextUnit {id: id}) WHERE coalesce(u.workspace, '') = $workspace
  SET u.todo_extraction = CASE WHEN u.extraction IS NULL THEN id END,
      u.todo_linking = CASE WHEN u.extraction IS NOT NULL AND NOT coalesce(u.linking_done, false) THEN id END,
      u.linking_done = coalesce(u.linking_done, false),
      u.todo_words = CASE WHEN u.words IS NULL THEN id END
}
CALL (id) { MATCH (e:__Entity__ {id: id}) WHERE coalesce(e.workspace, '') = $workspace SET e.dirty = id }
CALL (id) { MATCH ()-[r:RELATED {id: id}]->() WHERE r.workspace = $workspace SET r.dirty = id }
