// Entities that people made by hand, and the ends of relationships that they made.
MATCH (e:__Entity__ {manual: true}) WHERE e.workspace = $workspace AND e.id IS NOT NULL
RETURN e.id AS id
UNION
MATCH (a:__Entity__)-[r:RELATED {manual: true}]->(b:__Entity__) WHERE r.workspace = $workspace
UNWIND [a.id, b.id] AS id
RETURN id
