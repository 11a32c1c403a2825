MATCH (e:__Entity__)
WHERE e.workspace = $workspace AND e.type = $kind AND e.id IS NOT NULL AND e.text_unit_count IS NOT NULL
WITH e LIMIT $most
RETURN count(*) AS count
