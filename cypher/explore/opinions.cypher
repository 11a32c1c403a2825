// Who holds what of an entity: holder, sentiment from -1 to 1, and the sentence.
:param workspace => 'default';
:param name => 'Scrooge';
MATCH (e:__Entity__ {workspace: $workspace, name: $name})<-[h:HAS_ENTITY]-(u:TextUnit)-[:PART_OF]->(d:Document)
WHERE h.opinion_holders IS NOT NULL
UNWIND range(0, size(h.opinion_holders) - 1) AS at
RETURN h.opinion_holders[at] AS holder, h.opinion_scores[at] / 1000.0 AS sentiment, h.opinion_quotes[at] AS quote,
       d.key AS document, u.period AS period
ORDER BY period, document, holder;
