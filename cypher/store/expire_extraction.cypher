UNWIND $ids AS id
MATCH (u:TextUnit {id: id}) WHERE coalesce(u.workspace, '') = $workspace
SET u.extraction = null, u.extraction_error = null, u.linking_done = false, u.todo_extraction = id, u.todo_linking = null
