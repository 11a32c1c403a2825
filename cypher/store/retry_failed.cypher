UNWIND $ids AS id
MATCH (u:TextUnit {id: id}) WHERE coalesce(u.workspace, '') = $workspace
SET u.extraction_error = null,
    u.todo_extraction = CASE WHEN u.extraction IS NULL THEN id END,
    u.todo_linking = CASE WHEN u.extraction IS NOT NULL AND NOT u.linking_done THEN id END
