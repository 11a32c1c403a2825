// The entities of a time: those that most of its documents name first.
:param workspace => 'default';
:param from => '1843-01-01';
:param to => '1843-12-31';
MATCH (d:Document) WHERE d.workspace = $workspace AND d.date_to >= $from AND d.date_from <= $to
MATCH (d)<-[:PART_OF]-(u:TextUnit)-[:HAS_ENTITY]->(e:__Entity__)
RETURN e.name AS name, e.type AS type, count(DISTINCT d) AS documents, count(u) AS text_units
ORDER BY documents DESC, text_units DESC, name LIMIT 50;
