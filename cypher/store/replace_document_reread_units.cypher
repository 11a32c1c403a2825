UNWIND $ids AS id
MATCH (u:TextUnit {id: id})
SET u.extraction = null, u.todo_linking = null, u.vector_pending = id, u.leased_by = null,
    u.todo_extraction = CASE WHEN u.extraction_error IS NULL THEN id END
