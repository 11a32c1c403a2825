// Relationships that people made by hand and that have no id yet.
MATCH (a:__Entity__)-[r:RELATED {manual: true}]->(b:__Entity__)
WHERE a.workspace = $workspace AND b.workspace = $workspace AND a <> b AND r.id IS NULL
RETURN elementId(r) AS element, a.id AS source, b.id AS target, a.name + ' and ' + b.name AS name
