UNWIND $ids AS id
MATCH (a:Alias {id: id})
DELETE a
