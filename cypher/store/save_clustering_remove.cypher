MATCH (c:Clustered) WHERE c.workspace = $workspace
DELETE c
