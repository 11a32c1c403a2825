// Communities whose reports the answer cites, and their members
UNWIND $reports AS id
MATCH (c:Community {id: id}) WHERE coalesce(c.workspace, '') = $workspace
OPTIONAL MATCH (e:__Entity__)-[i:IN_COMMUNITY]->(c)
RETURN c, i, e
