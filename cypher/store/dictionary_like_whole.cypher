UNWIND $ids AS id
MATCH (n:DictionaryName {id: id})
RETURN n.key AS key
