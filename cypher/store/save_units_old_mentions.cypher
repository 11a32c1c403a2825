UNWIND $ids AS id
MATCH (u:TextUnit {id: id})
MATCH (u)-[h:HAS_ENTITY]->(e:__Entity__)
RETURN u.id AS text_unit, e.id AS entity, h.names AS names, h.types AS kinds, h.descriptions AS descriptions,
       h.linked AS linked
