// What is claimed of an entity, and where: document, characters and the words that each claim rests on.
:param workspace => 'default';
:param name => 'Scrooge';
MATCH (e:__Entity__ {workspace: $workspace, name: $name})<-[:SUBJECT]-(c:Claim)<-[:HAS_CLAIM]-(u:TextUnit)
MATCH (u)-[:PART_OF]->(d:Document)
OPTIONAL MATCH (c)-[:OBJECT]->(o:__Entity__)
RETURN c.type AS type, c.status AS status, c.description AS claim, o.name AS concerns, c.start_date AS start,
       c.end_date AS end, d.key AS document, u.start_offset AS from_character, u.end_offset AS to_character,
       c.source_text AS words
ORDER BY document, from_character;
