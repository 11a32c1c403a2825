// Entities that are not there.
UNWIND $ids AS id
OPTIONAL MATCH (e:__Entity__ {id: id})
WITH id, e WHERE e IS NULL
RETURN id
