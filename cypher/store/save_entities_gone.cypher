UNWIND $ids AS id
MATCH (e:__Entity__ {id: id}) WHERE coalesce(e.workspace, '') = $workspace
SET e.dirty = null, e.top_text_units = null, e.top_records = null, e.top_relationships = null,
    e.degree = COUNT { (e)-[:RELATED]-() },
    e.text_unit_count = COUNT { (:TextUnit)-[:HAS_ENTITY]->(e) }
WITH e, id WHERE NOT coalesce(e.manual, false)
DETACH DELETE e
RETURN id
