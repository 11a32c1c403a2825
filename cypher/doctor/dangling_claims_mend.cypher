// Removes claims.
UNWIND $ids AS id
MATCH (c:Claim {id: id}) WHERE coalesce(c.workspace, '') = $workspace
DETACH DELETE c
