UNWIND $ids AS id
MATCH (u:TextUnit {id: id}) WHERE coalesce(u.workspace, '') = $workspace
CALL (u) {
  MATCH (u)-[h:HAS_ENTITY]->(e:__Entity__)
  RETURN collect(e.id) AS mentioned, collect(h.record_count) AS records
}
RETURN collect([id, mentioned, records]) AS rows
