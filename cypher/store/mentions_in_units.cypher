UNWIND $ids AS id
MATCH (u:TextUnit {id: id}) WHERE coalesce(u.workspace, '') = $workspace
RETURN id, u.mentioned AS mentioned, u.mentioned_records AS records
