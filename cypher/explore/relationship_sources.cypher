// The text units that support the relationship of two entities, with what each says of it.
:param workspace => 'default';
:param from => 'Bob Cratchit';
:param to => 'Scrooge';
MATCH (a:__Entity__ {workspace: $workspace, name: $from})-[r:RELATED]-(b:__Entity__ {workspace: $workspace, name: $to})
WITH r, r.text_unit_ids AS text_unit_ids, r.descriptions AS descriptions
UNWIND range(0, size(text_unit_ids) - 1) AS i
MATCH (u:TextUnit {id: text_unit_ids[i]})-[:PART_OF]->(d:Document)
RETURN d.key AS document, u.index AS text_unit, descriptions[i] AS says, u.text AS text
ORDER BY document, text_unit;
