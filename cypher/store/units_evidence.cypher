UNWIND $ids AS id
MATCH (u:TextUnit {id: id}) WHERE coalesce(u.workspace, '') = $workspace
SET u._lock = 1
WITH u
CALL (u) { MATCH (u)-[:HAS_ENTITY]->(e:__Entity__) RETURN collect(e.id) AS entities }
RETURN u.id AS id, entities, coalesce(u.relationship_ids, []) AS relationship_ids, u.records AS records
