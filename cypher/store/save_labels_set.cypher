UNWIND $rows AS row
MATCH (e:__Entity__ {id: row.id}) WHERE coalesce(e.workspace, '') = $workspace
SET e:$(row.label), e.label = row.label
