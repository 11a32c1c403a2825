// Removes claims.
UNWIND $ids AS id
MATCH (c:Claim {id: id}) WHERE c.workspace = $workspace
DETACH DELETE c
