UNWIND $ids AS id
MATCH (a)-[r:RELATED {id: id}]->(b) WHERE r.workspace = $workspace
RETURN r.id AS id, a.id AS one, b.id AS other, r.text_unit_ids AS text_unit_ids, r.types AS kinds,
       r.descriptions AS descriptions, r.strengths AS strengths, r.forwards AS forwards,
       null AS summary_fingerprint, null AS summary
