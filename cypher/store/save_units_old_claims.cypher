UNWIND $ids AS id
MATCH (u:TextUnit {id: id})-[:HAS_CLAIM]->(c:Claim)-[:SUBJECT]->(e:__Entity__)
RETURN u.id AS text_unit, e.id AS subject, count(c) AS claims
