UNWIND $rows AS row
MATCH (u:TextUnit {id: row.id})
SET u.words = row.words, u.todo_words = null
