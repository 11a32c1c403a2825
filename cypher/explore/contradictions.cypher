// Claims of one entity and type of which one text says that they hold and another that they do not, with both texts.
:param workspace => 'default';
MATCH (a:Claim {workspace: $workspace, status: 'TRUE'})-[:SUBJECT]->(e:__Entity__)<-[:SUBJECT]-(b:Claim {status: 'FALSE'})
WHERE a.type = b.type
MATCH (a)<-[:HAS_CLAIM]-(u:TextUnit), (b)<-[:HAS_CLAIM]-(v:TextUnit)
RETURN e.name AS entity, a.type AS type, a.description AS holds, a.source_text AS words, u.document_key AS document,
       u.period AS period, b.description AS does_not_hold, b.source_text AS other_words,
       v.document_key AS other_document, v.period AS other_period
ORDER BY entity, type, document, other_document LIMIT 50;
