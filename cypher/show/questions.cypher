// The standard answer: its other phrasings, what it is about, what it rests on, and what comes next
UNWIND $questions AS key
MATCH (q:Question {key: key})-[h:HAS_ANSWER]->(a:Answer) WHERE coalesce(q.workspace, '') = $workspace
OPTIONAL MATCH (v:Question)-[w:VARIANT_OF]->(q)
OPTIONAL MATCH (q)-[f:FOLLOWED_BY|RELATED_TO|ABOUT]->(n)
OPTIONAL MATCH (a)-[c:CITES|CHANGED_TO]->(u:TextUnit)
RETURN q, h, a, v, w, f, n, c, u
