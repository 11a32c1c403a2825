// The curve of a community: documents, text units, mentions and claims of its members in each period.
:param workspace => 'default';
:param title => 'The office';
MATCH (g:Graphwright {workspace: $workspace})
MATCH (c:__Community__ {workspace: $workspace}) WHERE c.title CONTAINS $title
AND c.from <= g.generation AND (c.to IS NULL OR c.to > g.generation)
WITH g, c ORDER BY c.level DESC, c.title LIMIT 1
MATCH (c)<-[steps:PARENT_COMMUNITY*0..32]-(leaf:__Community__)
WHERE all(step IN steps WHERE step.from <= g.generation AND (step.to IS NULL OR step.to > g.generation))
UNWIND leaf.member_ids AS member
WITH DISTINCT c, member
MATCH (u:TextUnit)-[h:HAS_ENTITY]->(e:__Entity__ {id: member}) WHERE u.period IS NOT NULL
RETURN c.title AS title, u.period AS period, count(DISTINCT u.document_key) AS documents,
       count(DISTINCT u) AS text_units, sum(CASE WHEN h.record_count > 1 THEN h.record_count ELSE 1 END) AS mentions,
       sum(COUNT { (u)-[:HAS_CLAIM]->(:Claim)-[:SUBJECT]->(e) }) AS claims
ORDER BY period;
