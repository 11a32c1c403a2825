// The curve of an entity as it is counted: documents, text units, mentions and claims of each period.
// Characters of a period's key: 4 sum by years, 7 by months, 10 leave days.
:param workspace => 'default';
:param name => 'Scrooge';
:param characters => 7;
MATCH (e:__Entity__ {workspace: $workspace, name: $name})-[i:IN_PERIOD]->(p:Period)
RETURN left(p.key, $characters) AS period, sum(i.documents) AS documents, sum(i.text_units) AS text_units,
       sum(i.mentions) AS mentions, sum(coalesce(i.claims, 0)) AS claims
ORDER BY period;
