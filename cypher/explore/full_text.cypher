// Text units that hold words, best first; Lucene syntax: "old scrooge", clerk AND fire, 曹操.
:param workspace => 'default';
:param words => 'clerk';
CALL db.index.fulltext.queryNodes('keyword', $words, {limit: 200}) YIELD node AS u, score
WHERE u.workspace = $workspace
MATCH (u)-[:PART_OF]->(d:Document)
RETURN d.key AS document, u.index AS text_unit, round(score, 2) AS score, u.text AS text
ORDER BY score DESC, document, text_unit LIMIT 20;
