UNWIND $ids AS id
MATCH (e:__Entity__ {id: id})
MATCH (e)<-[:SUBJECT]-(c:Claim)<-[:HAS_CLAIM]-(u:TextUnit) WHERE u.period IS NOT NULL
RETURN e.id AS entity, u.period AS period, count(c) AS claims
