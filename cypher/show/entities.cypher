// Entities of the answer, and how they are related to one another
UNWIND $entities AS id
MATCH (e:__Entity__ {id: id}) WHERE coalesce(e.workspace, '') = $workspace
OPTIONAL MATCH (e)-[r:RELATED]-(other:__Entity__) WHERE other.id IN $entities
RETURN e, r, other
