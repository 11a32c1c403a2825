MATCH (d:Document {id: $document})
UNWIND $rows AS row
CREATE (u:TextUnit:Chunk {id: row.id})-[:PART_OF]->(d)
SET u += row, u.workspace = $workspace, u.records = '[]', u.linked = [], u.linking_done = false,
    u.todo_extraction = row.id, u.todo_words = row.id, u.vector_pending = row.id
