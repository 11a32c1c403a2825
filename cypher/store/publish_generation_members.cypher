MATCH (c:Community) WHERE c.workspace = $workspace AND c.from <= $generation
AND (c.to IS NULL OR c.to > $generation) AND c.leaf
AND COUNT { (c)<-[:IN_COMMUNITY]-() } < size(c.member_ids)
UNWIND c.member_ids AS member
MATCH (e:__Entity__ {id: member})
MERGE (e)-[:IN_COMMUNITY]->(c)
