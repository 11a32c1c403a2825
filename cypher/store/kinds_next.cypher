MATCH (e:__Entity__)
WHERE e.workspace = $workspace AND e.type > $after AND e.id IS NOT NULL AND e.text_unit_count IS NOT NULL
RETURN e.type AS kind
ORDER BY e.workspace, e.type, e.id LIMIT 1
