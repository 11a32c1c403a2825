// Relationships whose weight is not the number of their records, whose counts by period are not those of their text units,
// or that have none, though nothing waits.
MATCH ()-[r:RELATED]->() WHERE r.workspace = $workspace AND r.id IS NOT NULL AND r.weight IS NOT NULL
AND r.dirty IS NULL AND NOT coalesce(r.manual, false) AND (r.weight <> size(r.text_unit_ids) OR r.weight = 0
  OR COUNT { UNWIND r.text_unit_ids AS unit WITH DISTINCT unit MATCH (u:TextUnit {id: unit}) WHERE u.period IS NOT NULL
             RETURN u }
    <> reduce(total = 0, text_units IN coalesce(r.period_text_units, []) | total + text_units))
RETURN r.id AS id ORDER BY id LIMIT $limit
