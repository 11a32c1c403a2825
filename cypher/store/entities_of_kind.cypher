MATCH (e:__Entity__)
WHERE e.workspace = $workspace AND e.type = $kind AND e.id > $after AND e.text_unit_count IS NOT NULL
RETURN e.id AS id, e.name AS name, e.type AS kind, e.description AS description, e.aliases AS aliases,
       e.degree AS degree, e.text_unit_count AS text_unit_count
ORDER BY e.workspace, e.type, e.id LIMIT $limit
