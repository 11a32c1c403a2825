// The library of questions and answers: each question with its answer, what it is about, what it rests on, what comes next.
:param workspace => 'default';
MATCH answered = (q:Question {workspace: $workspace})-[:HAS_ANSWER]->(a:Answer)
OPTIONAL MATCH cited = (a)-[:CITES|CHANGED_TO]->(:TextUnit)-[:PART_OF]->(:Document)
OPTIONAL MATCH beside = (q)-[:ABOUT|FOLLOWED_BY|RELATED_TO]->()
OPTIONAL MATCH varied = (:Question)-[:VARIANT_OF]->(q)
RETURN answered, cited, beside, varied LIMIT 300;
