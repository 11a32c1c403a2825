// Where a document mentions an entity, in the order of the text: spelling and what is said there.
:param workspace => 'default';
:param document => 'carol.txt';
:param name => 'Bob Cratchit';
MATCH (d:Document {workspace: $workspace, key: $document})<-[:PART_OF]-(u:TextUnit)
MATCH (u)-[h:HAS_ENTITY]->(e:__Entity__ {workspace: $workspace, name: $name})
RETURN u.index AS text_unit, u.start_offset AS from_character, h.names AS spellings, h.linked AS only_linked,
       h.descriptions AS says, u.text AS text
ORDER BY text_unit;
