MATCH (g:Graphwright {workspace: $workspace}) WHERE g.generation > 0
UNWIND $ids AS id
MATCH (e:__Entity__ {id: id}) WHERE coalesce(e.workspace, '') = $workspace
SET e.unreported = id
