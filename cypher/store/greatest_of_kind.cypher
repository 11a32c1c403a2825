MATCH (e:__Entity__)
WHERE e.workspace = $workspace AND e.type = $kind AND e.id IS NOT NULL AND e.text_unit_count IS NOT NULL
WITH e.id AS id, CASE WHEN $by_degree THEN e.degree ELSE e.text_unit_count END AS sum
RETURN id, sum
ORDER BY sum DESC, id DESC LIMIT $limit
