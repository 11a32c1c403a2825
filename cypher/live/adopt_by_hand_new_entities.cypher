// Entities that people made by hand and that have no id yet.
MATCH (e:__Entity__ {manual: true})
WHERE coalesce(e.workspace, $workspace) = $workspace AND e.id IS NULL AND e.name IS NOT NULL
RETURN elementId(e) AS element, e.name AS name
