// The hint, the range and an order by all that the index holds: without any of them the whole type is read and sorted.
MATCH (e:__Entity__) USING INDEX e:__Entity__(workspace, type, degree, id)
WHERE e.workspace = $workspace AND e.type = $kind AND e.degree >= 0 AND e.id IS NOT NULL AND e.text_unit_count IS NOT NULL
RETURN e.id AS id, e.degree AS sum
ORDER BY e.workspace DESC, e.type DESC, e.degree DESC, e.id DESC LIMIT $limit
