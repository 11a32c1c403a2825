UNWIND $ids AS id
MATCH (e:__Entity__ {id: id}) WHERE coalesce(e.workspace, '') = $workspace
MATCH (e)<-[:SUBJECT]-(c:Claim)<-[:HAS_CLAIM]-(u:TextUnit) WHERE coalesce(u.workspace, '') = $workspace AND u.period IS NOT NULL
RETURN e.id AS entity, u.period AS period, count(c) AS claims
