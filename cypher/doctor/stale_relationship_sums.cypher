// Relationships whose weight is not the number of their records, or that have none, though nothing waits.
MATCH ()-[r:RELATED]->() WHERE r.workspace = $workspace AND r.id IS NOT NULL AND r.weight IS NOT NULL
AND r.dirty IS NULL AND NOT coalesce(r.manual, false) AND (r.weight <> size(r.text_unit_ids) OR r.weight = 0)
RETURN r.id AS id ORDER BY id LIMIT $limit
