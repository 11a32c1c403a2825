UNWIND $ids AS id
MATCH (u:TextUnit {id: id}) WHERE coalesce(u.workspace, '') = $workspace
RETURN collect([id, u.mentioned, u.mentioned_records]) AS rows
