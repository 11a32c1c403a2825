// What a document is about: the entities that most of its text units mention, measured against the other documents.
:param workspace => 'default';
:param document => 'carol.txt';
MATCH (d:Document {workspace: $workspace, key: $document})<-[:PART_OF]-(u:TextUnit)-[:HAS_ENTITY]->(e:__Entity__)
WITH e, count(DISTINCT u) AS here
RETURN e.name AS name, e.type AS type, here AS text_units_here, e.text_unit_count AS text_units,
       round(1.0 * here * here / e.text_unit_count, 2) AS weight, e.description AS description
ORDER BY weight DESC, name LIMIT 25;
