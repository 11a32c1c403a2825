MATCH (u:TextUnit)-[:PART_OF]->(d:Document) WHERE u.workspace = $workspace AND u.period > ''
  AND (d.date_from IS NULL OR u.period <> toString(d.date_from) + '/' + toString(d.date_to))
RETURN u.id AS text_unit, d.id AS document, u.period AS days
