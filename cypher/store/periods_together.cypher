UNWIND $ids AS id
MATCH (e:__Entity__ {id: id}) WHERE coalesce(e.workspace, '') = $workspace AND e.text_unit_count IS NOT NULL
MATCH (u:TextUnit)-[:HAS_ENTITY]->(e) WHERE u.period IS NOT NULL
WITH DISTINCT u
RETURN u.period AS period, count(DISTINCT u.document_key) AS documents, count(u) AS text_units
