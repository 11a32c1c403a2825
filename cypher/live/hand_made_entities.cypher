// Entities that people made by hand and that have an id.
MATCH (e:__Entity__ {manual: true})
WHERE e.workspace = $workspace AND e.id IS NOT NULL AND e.text_unit_count IS NOT NULL
RETURN e.id AS id, e.name AS name, e.type AS kind, e.description AS description, e.aliases AS aliases,
       e.degree AS degree, e.text_unit_count AS text_unit_count
