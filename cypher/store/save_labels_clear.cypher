UNWIND $ids AS id
MATCH (e:__Entity__ {id: id})
SET e.label = null
