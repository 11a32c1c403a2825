UNWIND $ids AS id
MATCH (u:TextUnit {id: id})
DETACH DELETE u
