// Entities as people made them by hand, beside what documents say of them.
UNWIND $rows AS row
MERGE (e:__Entity__ {id: row.id})
ON CREATE SET e:Entity, e.workspace = $workspace, e.degree = 0, e.text_unit_count = 0
SET e += row.properties, e.manual = true, e.summed_name = row.properties.name, e.dirty = row.id,
    e.vector_pending = row.id
