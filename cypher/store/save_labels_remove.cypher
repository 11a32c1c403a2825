UNWIND $rows AS row
MATCH (e:__Entity__ {id: row.id}) WHERE coalesce(e.workspace, '') = $workspace
REMOVE e:$(row.old_label)
