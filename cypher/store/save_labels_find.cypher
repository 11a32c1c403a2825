MATCH (e:__Entity__) WHERE e.workspace = $workspace AND e.id IS NOT NULL AND e.text_unit_count IS NOT NULL
WITH e, coalesce($labels[e.type], 'Other') AS label WHERE label <> coalesce(e.label, '')
RETURN e.id AS id, coalesce(e.label, '') AS old_label, label
