UNWIND $ids AS id
MATCH (u:TextUnit {id: id}) WHERE coalesce(u.workspace, '') = $workspace
CALL (u) {
  MATCH (u)-[h:HAS_ENTITY]->(e:__Entity__)
  WITH e.id AS entity, h.record_count AS records ORDER BY entity
  RETURN collect(entity) AS mentioned, collect(records) AS records
}
WITH id, mentioned, records,
     coalesce(u.mentioned = mentioned AND u.mentioned_records = records, u.mentioned IS NULL) AS is_listed
RETURN collect([id, CASE WHEN is_listed THEN mentioned ELSE [] END,
                CASE WHEN is_listed THEN records ELSE [] END]) AS rows
