UNWIND $ids AS id
MATCH (s:__Entity__ {id: id}) WHERE coalesce(s.workspace, '') = $workspace
MATCH (u:TextUnit)-[:HAS_CLAIM]->(c:Claim)-[:SUBJECT]->(s)
WITH u, c, s ORDER BY c.id LIMIT $limit
OPTIONAL MATCH (c)-[:OBJECT]->(o)
RETURN c.id AS id, u.id AS text_unit, s.id AS subject, o.id AS object, c.type AS kind, c.status AS status,
       c.description AS description, c.start_date AS start_date, c.end_date AS end_date,
       c.source_text AS source_text, c.holder AS holder
