// Relationships that people made by hand and that have an id.
MATCH (a:__Entity__)-[r:RELATED {manual: true}]->(b:__Entity__)
WHERE r.workspace = $workspace AND r.id IS NOT NULL AND r.weight IS NOT NULL
RETURN r.id AS id, a.id AS source, b.id AS target, r.type AS kind, r.description AS description,
       r.weight AS weight, r.strength AS strength, r.text_unit_count AS text_unit_count,
       coalesce(r.other_types, []) AS other_kinds, coalesce(r.reverse_types, []) AS reverse_kinds
