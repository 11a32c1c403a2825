// Chains a document's text units anew; without its hash it is read again by the next run that comes by it.
UNWIND $ids AS id
MATCH (d:Document {id: id}) WHERE d.workspace = $workspace
CALL (d) { MATCH (d)-[f:FIRST_CHUNK]->() DELETE f }
CALL (d) { MATCH (:Document {id: d.id})<-[:PART_OF]-(u:TextUnit)-[n:NEXT_CHUNK]->() WHERE coalesce(u.workspace, '') = $workspace DELETE n }
CALL (d) { MATCH (u:TextUnit)-[:PART_OF]->(d) WHERE coalesce(u.workspace, '') = $workspace WITH u ORDER BY u.index, u.id RETURN collect(u) AS units }
SET d.content_hash = '', d.text_unit_count = size(units)
FOREACH (first IN units[0..1] | CREATE (d)-[:FIRST_CHUNK]->(first))
WITH units UNWIND range(0, size(units) - 1) AS place
WITH units, place, units[place] AS u
SET u.index = place
WITH units, place, u WHERE place > 0
WITH u, units[place - 1] AS before
CREATE (before)-[:NEXT_CHUNK]->(u)
