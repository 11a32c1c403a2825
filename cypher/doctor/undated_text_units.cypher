// Text units without days of their own though their document has a date.
MATCH (u:TextUnit)-[:PART_OF]->(d:Document) WHERE u.workspace = $workspace AND u.id IS NOT NULL
AND u.period IS NULL AND d.date_from IS NOT NULL
RETURN u.id AS id ORDER BY id LIMIT $limit
