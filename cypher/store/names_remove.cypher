UNWIND $ids AS id
MATCH (n:Name {id: id})
DELETE n
