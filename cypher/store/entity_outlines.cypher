UNWIND $ids AS id
MATCH (e:__Entity__ {id: id}) WHERE coalesce(e.workspace, '') = $workspace AND e.text_unit_count IS NOT NULL
RETURN collect([id, e.name, e.type, e.aliases, e.degree, e.text_unit_count]) AS rows
