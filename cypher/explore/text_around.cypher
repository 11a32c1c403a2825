// A text unit with the ones before and after it, and the entities in it, as a graph.
:param workspace => 'default';
:param document => 'carol.txt';
:param index => 1;
MATCH (d:Document {workspace: $workspace, key: $document})<-[:PART_OF]-(u:TextUnit {index: $index})
OPTIONAL MATCH around = (:TextUnit)-[:NEXT_CHUNK*0..1]->(u)-[:NEXT_CHUNK*0..1]->(:TextUnit)
OPTIONAL MATCH mentions = (u)-[:HAS_ENTITY]->(:__Entity__)
RETURN d, around, mentions LIMIT 100;
