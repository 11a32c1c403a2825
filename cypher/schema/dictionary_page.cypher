CREATE INDEX $name IF NOT EXISTS FOR (n:DictionaryName) ON (n.workspace, n.id)
