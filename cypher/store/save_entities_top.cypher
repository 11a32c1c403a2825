UNWIND $rows AS id
MATCH (e:__Entity__ {id: id}) WHERE coalesce(e.workspace, '') = $workspace
CALL (e) {
  MATCH (u:TextUnit)-[h:HAS_ENTITY]->(e)
  WITH u.id AS text_unit, h.record_count AS records ORDER BY records DESC, text_unit LIMIT $limit
  RETURN collect(text_unit) AS mentioned, collect(records) AS records
}
CALL (e) {
  MATCH (e)-[r:RELATED]-() WHERE r.weight IS NOT NULL AND coalesce(r.workspace, '') = $workspace
  WITH r.id AS relationship, r.weight AS weight ORDER BY weight DESC, relationship LIMIT $limit
  RETURN collect(relationship) AS relationships
}
SET e.top_text_units = mentioned, e.top_records = records, e.top_relationships = relationships
