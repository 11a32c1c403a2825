UNWIND $ids AS id
MATCH (e:__Entity__ {id: id}) WHERE coalesce(e.workspace, '') = $workspace
WITH id, e, e.dirty IS NULL AND size(e.top_text_units) >= $limit AS kept
CALL (e, kept) {
  WITH e, kept WHERE kept
  RETURN e.top_text_units[..$limit] AS mentioned, e.top_records[..$limit] AS records
  UNION ALL
  WITH e, kept WHERE kept IS NULL OR NOT kept
  MATCH (u:TextUnit)-[h:HAS_ENTITY]->(e)
  WITH u.id AS text_unit, h.record_count AS records ORDER BY records DESC, text_unit LIMIT $limit
  RETURN collect(text_unit) AS mentioned, collect(records) AS records
}
RETURN collect([id, mentioned, records]) AS rows
