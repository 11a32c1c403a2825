// As by the degree, from an index of its own.
MATCH (e:__Entity__) USING INDEX e:__Entity__(workspace, type, text_unit_count, id)
WHERE e.workspace = $workspace AND e.type = $kind AND e.text_unit_count >= 0 AND e.id IS NOT NULL
RETURN e.id AS id, e.text_unit_count AS sum
ORDER BY e.workspace DESC, e.type DESC, e.text_unit_count DESC, e.id DESC LIMIT $limit
