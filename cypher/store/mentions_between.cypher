UNWIND $ids AS id
MATCH (u:TextUnit {id: id}) WHERE coalesce(u.workspace, '') = $workspace
MATCH (u)-[h:HAS_ENTITY]->(e:__Entity__) WHERE e.id IN $entities
RETURN u.id AS text_unit, e.id AS entity, h.record_count AS records
