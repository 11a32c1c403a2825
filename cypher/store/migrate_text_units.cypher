MATCH (u:TextUnit) WHERE u.workspace = $workspace AND u.id > $after
WITH u ORDER BY u.workspace, u.id LIMIT $limit
CALL (u) {
  MATCH (u)-[h:HAS_ENTITY]->(e:__Entity__)
  WITH e.id AS entity, h.record_count AS records ORDER BY entity
  RETURN collect(entity) AS mentioned, collect(records) AS records
}
SET u.mentioned = mentioned, u.mentioned_records = records,
    u.todo_words = CASE WHEN u.words IS NULL THEN u.id END
RETURN max(u.id) AS last
