// Gives entities made by hand what the others have.
UNWIND $rows AS row
MATCH (e) WHERE elementId(e) = row.element
OPTIONAL MATCH (taken:__Entity__ {id: row.id})
WITH e, row WHERE taken IS NULL
SET e:Entity, e.id = row.id, e.workspace = $workspace, e.type = coalesce(e.type, ''), e.summed_name = e.name,
    e.description = coalesce(e.description, ''), e.aliases = coalesce(e.aliases, []), e.degree = 0,
    e.text_unit_count = 0, e.vector_pending = row.id
RETURN e.id AS id
