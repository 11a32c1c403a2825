UNWIND $ids AS id
MATCH (:TextUnit {id: id})-[:HAS_CLAIM]->(c:Claim) WHERE coalesce(c.workspace, '') = $workspace
DETACH DELETE c
