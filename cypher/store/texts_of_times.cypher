UNWIND $keys AS key
MATCH (d:Document) WHERE d.workspace = $workspace AND d.key = key AND NOT d:__Entity__
MATCH (u:TextUnit)-[:PART_OF]->(d) WHERE u.period > ''
WITH d, collect(CASE WHEN u.period IN $periods THEN u.id END) AS inside,
     collect(CASE WHEN u.period IN $periods THEN null ELSE u.id END) AS outside
RETURN d.id AS document, inside, outside
