// Standard answers that rest on text that has changed or gone: what they were written from, and what the document says now.
:param workspace => 'default';
MATCH (q:Question {workspace: $workspace})-[:HAS_ANSWER]->(a:Answer {stale: true})
UNWIND range(0, size(a.stale_was) - 1) AS place
OPTIONAL MATCH changed = (a)-[:CHANGED_TO {was: a.stale_was[place]}]->(:TextUnit)-[:PART_OF]->(:Document)
RETURN q.key AS id, q.text AS question, a.text AS answer, a.stale_document[place] AS document,
       a.stale_was[place] AS was, CASE a.stale_now[place] WHEN '' THEN null ELSE a.stale_now[place] END AS now, changed
ORDER BY id, place LIMIT 300;
