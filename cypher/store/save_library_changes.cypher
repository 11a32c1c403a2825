UNWIND $rows AS row
MERGE (c:QuestionChange {id: row.id})
SET c.workspace = $workspace, c.sequence = row.sequence, c.key = row.key, c.action = row.action,
    c.author = row.author, c.at = row.at, c.change = row.change
