// The curve of an entity: for each date of documents, how many there are and how many name it.
:param workspace => 'default';
:param name => 'Scrooge';
MATCH (d:Document) WHERE d.workspace = $workspace AND d.date_from IS NOT NULL
OPTIONAL MATCH (d)<-[:PART_OF]-(u:TextUnit)-[:HAS_ENTITY]->(e:__Entity__ {workspace: $workspace, name: $name})
WITH d, count(u) AS text_units
RETURN d.date_from AS from_day, d.date_to AS to_day, count(d) AS documents,
       sum(CASE WHEN text_units > 0 THEN 1 ELSE 0 END) AS that_name_it, sum(text_units) AS text_units
ORDER BY from_day, to_day;
