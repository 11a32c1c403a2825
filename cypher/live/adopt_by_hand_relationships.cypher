// Gives relationships made by hand what the others have.
UNWIND $rows AS row
MATCH (a)-[r:RELATED]->(b) WHERE elementId(r) = row.element
OPTIONAL MATCH ()-[taken:RELATED {id: row.id}]->()
WITH a, b, r, row WHERE taken IS NULL
SET r.id = row.id, r.workspace = $workspace, r.type = coalesce(r.type, ''), r.weight = coalesce(r.weight, 1),
    r.description = coalesce(r.description, ''), r.strength = coalesce(r.strength, 1), r.text_unit_count = 0,
    r.text_unit_ids = [], r.types = [], r.descriptions = [], r.strengths = [], r.forwards = [],
    a.dirty = a.id, b.dirty = b.id
RETURN r.id AS id
