UNWIND $ids AS id
MATCH (n:DictionaryName {id: id})
DELETE n
