// Documents that share entities with one document: most shared first.
:param workspace => 'default';
:param document => 'carol.txt';
MATCH (d:Document {workspace: $workspace, key: $document})<-[:PART_OF]-(:TextUnit)-[:HAS_ENTITY]->(e:__Entity__)
WITH DISTINCT d, e
MATCH (e)<-[:HAS_ENTITY]-(:TextUnit)-[:PART_OF]->(other:Document) WHERE other <> d
WITH other, e, count(*) AS mentions ORDER BY mentions DESC, e.name
RETURN other.key AS document, count(e) AS shared, collect(e.name)[..10] AS entities
ORDER BY shared DESC, document LIMIT 25;
