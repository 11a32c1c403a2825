UNWIND $rows AS row
MATCH (e:__Entity__ {id: row.id}) WHERE coalesce(e.workspace, '') = $workspace
SET e._lock = 1
WITH e, row, coalesce(e.summed_name <> row.properties.name, true) AS renamed,
  coalesce(e.text_unit_count IS NULL OR e.name <> row.properties.name
  OR e.type <> row.properties.type OR e.aliases <> row.properties.aliases
  OR e.description <> row.properties.description, true) AS changed,
  coalesce(e.label, '') AS old_label
SET e += CASE WHEN coalesce(e.manual, false) THEN {degree: row.properties.degree,
              text_unit_count: row.properties.text_unit_count, aliases: row.properties.aliases}
              ELSE row.properties END,
    e.summed_name = CASE WHEN coalesce(e.manual, false) THEN e.name ELSE row.properties.name END,
    e._lock = null, e.dirty = null, e.top_text_units = null, e.top_records = null, e.top_relationships = null,
    e.vector_pending = CASE WHEN changed THEN row.id ELSE e.vector_pending END
WITH e, row, old_label, renamed WHERE renamed OR (row.label <> '' AND old_label <> row.label)
RETURN e.id AS id, old_label, row.label AS label, renamed
