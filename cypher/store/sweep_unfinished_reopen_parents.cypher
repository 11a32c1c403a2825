MATCH (c:Community)-[p:PARENT_COMMUNITY]->() WHERE c.workspace = $workspace AND p.to > $generation
SET p.to = null
