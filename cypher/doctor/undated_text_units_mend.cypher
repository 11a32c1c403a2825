UNWIND $ids AS id
MATCH (u:TextUnit {id: id})-[:PART_OF]->(d:Document) WHERE u.workspace = $workspace AND d.date_from IS NOT NULL
SET u.period = d.date_from + '/' + d.date_to
WITH u
CALL (u) {
  MATCH (u)-[:HAS_ENTITY]->(e:__Entity__)
  SET e.dirty = e.id
}
CALL (u) {
  UNWIND coalesce(u.relationship_ids, []) AS relationship
  MATCH ()-[r:RELATED {id: relationship}]->()
  SET r.dirty = r.id
}
