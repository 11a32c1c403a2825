// The library of questions and answers: each question with its answer, what it is about, what it rests on, what comes next.
:param workspace => 'default';
MATCH (q:Question {workspace: $workspace})-[:HAS_ANSWER]->(a:Answer)
OPTIONAL MATCH (a)-[:CITES]->(u:TextUnit)-[:PART_OF]->(d:Document)
RETURN q.key AS id, q.text AS question, a.text AS answer, q.status AS status,
       [(v:Question)-[:VARIANT_OF]->(q) | v.text] AS variants,
       [(q)-[:ABOUT]->(e:__Entity__) | e.name] AS about,
       [(q)-[:FOLLOWED_BY]->(n:Question) | n.key] AS next,
       collect(DISTINCT d.key) AS rests_on
ORDER BY id;
