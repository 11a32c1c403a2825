MATCH (d:Document {id: $document})
OPTIONAL MATCH (d)-[first:FIRST_CHUNK]->()
DELETE first
WITH DISTINCT d
MATCH (:TextUnit)-[next:NEXT_CHUNK]->(u:TextUnit)-[:PART_OF]->(d) WHERE coalesce(u.workspace, '') = $workspace
DELETE next
