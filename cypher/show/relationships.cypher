// Relationships that the answer cites, with their ends
UNWIND $relationships AS id
MATCH (a:__Entity__)-[r:RELATED {id: id}]->(b:__Entity__) WHERE r.workspace = $workspace
RETURN a, r, b
