// What people changed at entities by hand: another name, and the values of pinned properties.
MATCH (e:__Entity__) WHERE e.workspace = $workspace AND e.id IS NOT NULL AND e.text_unit_count IS NOT NULL
AND NOT coalesce(e.manual, false) AND (e.name <> e.summed_name OR e.pinned IS NOT NULL)
RETURN e.id AS id, CASE WHEN e.name <> e.summed_name OR 'name' IN e.pinned THEN e.name END AS name,
       CASE WHEN 'type' IN e.pinned THEN e.type END AS kind,
       CASE WHEN 'description' IN e.pinned THEN e.description END AS description
