// Entities that no document before a day names, with the first that does; most documents first.
:param workspace => 'default';
:param since => '1843-01-01';
MATCH (e:__Entity__)<-[:HAS_ENTITY]-(:TextUnit)-[:PART_OF]->(d:Document)
WHERE e.workspace = $workspace AND d.date_from IS NOT NULL
WITH e, count(DISTINCT d) AS documents, min(d.date_from) AS first, collect(DISTINCT d.key) AS keys
WHERE first >= $since
RETURN e.name AS name, e.type AS type, first, documents, keys[..3] AS for_example
ORDER BY documents DESC, first, name LIMIT 50;
