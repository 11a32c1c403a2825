// The curve of an entity as it is counted: documents, text units, mentions and claims of each period.
:param workspace => 'default';
:param name => 'Scrooge';
MATCH (e:__Entity__ {workspace: $workspace, name: $name})-[i:IN_PERIOD]->(p:Period)
RETURN p.key AS period, i.documents AS documents, i.text_units AS text_units, i.mentions AS mentions,
       coalesce(i.claims, 0) AS claims
ORDER BY p.from, p.to;
