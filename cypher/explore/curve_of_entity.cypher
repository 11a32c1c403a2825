// The curve of an entity as it is counted: documents, text units, mentions and claims of each day, month, quarter or year.
// What is of a longer time than that stands under its own key.
:param workspace => 'default';
:param name => 'Scrooge';
:param every => 'month';
MATCH (e:__Entity__ {workspace: $workspace, name: $name})-[i:IN_PERIOD]->(p:Period)
WITH i, p, p.key AS key, CASE $every WHEN 'year' THEN left(p.key, 4)
       WHEN 'quarter' THEN toString(p.from.year) + '-Q' + toString(p.from.quarter)
       WHEN 'month' THEN left(p.key, 7) ELSE p.key END AS part,
     CASE $every WHEN 'year' THEN p.from.year = p.to.year
       WHEN 'quarter' THEN p.from.year = p.to.year AND p.from.quarter = p.to.quarter
       WHEN 'month' THEN p.from.year = p.to.year AND p.from.month = p.to.month ELSE true END AS is_within
RETURN CASE WHEN is_within THEN part ELSE key END AS period, sum(i.documents) AS documents,
       sum(i.text_units) AS text_units, sum(i.mentions) AS mentions, sum(coalesce(i.claims, 0)) AS claims
ORDER BY period;
