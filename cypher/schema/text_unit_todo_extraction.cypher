CREATE INDEX $name IF NOT EXISTS FOR (n:TextUnit) ON (n.workspace, n.todo_extraction)
