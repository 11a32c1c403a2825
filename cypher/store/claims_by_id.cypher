UNWIND $ids AS id
MATCH (c:Claim {id: id}) WHERE coalesce(c.workspace, '') = $workspace
MATCH (u:TextUnit)-[:HAS_CLAIM]->(c)-[:SUBJECT]->(s)
OPTIONAL MATCH (c)-[:OBJECT]->(o)
RETURN c.id AS id, u.id AS text_unit, s.id AS subject, o.id AS object, c.type AS kind, c.status AS status,
       c.description AS description, c.start_date AS start_date, c.end_date AS end_date,
       c.source_text AS source_text, c.holder AS holder
