// Claims that the answer cites, whom they are about, and where they stand
UNWIND $claims AS id
MATCH (u:TextUnit)-[h:HAS_CLAIM]->(c:Claim {id: id})-[s:SUBJECT]->(e:__Entity__)
WHERE coalesce(c.workspace, '') = $workspace
RETURN u, h, c, s, e
