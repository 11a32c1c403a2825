UNWIND $rows AS row
MATCH (c:Community {id: row.community})
UNWIND row.members AS member
MATCH (e:__Entity__ {id: member}) WHERE coalesce(e.workspace, '') = $workspace
MERGE (e)-[:IN_COMMUNITY]->(c)
