// Links communities to their members.
UNWIND $ids AS id
MATCH (c:Community {id: id}) WHERE c.workspace = $workspace
UNWIND c.member_ids AS member
MATCH (e:__Entity__ {id: member})
MERGE (e)-[:IN_COMMUNITY]->(c)
