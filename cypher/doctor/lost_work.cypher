// What is to be read, linked or summed up, and is not marked so that a run finds it.
CALL () {
  MATCH (u:TextUnit) WHERE u.workspace = $workspace AND u.id IS NOT NULL AND u.extraction_error IS NULL
  AND (u.extraction IS NULL AND u.todo_extraction IS NULL
    OR u.extraction IS NOT NULL AND NOT coalesce(u.linking_done, false) AND u.todo_linking IS NULL)
  RETURN u.id AS id
  UNION
  MATCH (g:Graphwright {workspace: $workspace}) WHERE g.schema_version >= 3
  MATCH (u:TextUnit) WHERE u.workspace = $workspace AND u.id IS NOT NULL AND u.words IS NULL AND u.todo_words IS NULL
  RETURN u.id AS id
  UNION
  MATCH (e:__Entity__) WHERE e.workspace = $workspace AND e.id IS NOT NULL AND e.text_unit_count IS NULL
  AND e.dirty IS NULL
  RETURN e.id AS id
  UNION
  MATCH ()-[r:RELATED]->() WHERE r.workspace = $workspace AND r.id IS NOT NULL AND r.weight IS NULL
  AND r.dirty IS NULL
  RETURN r.id AS id
}
RETURN id ORDER BY id LIMIT $limit
