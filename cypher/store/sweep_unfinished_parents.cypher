MATCH (c:Community)-[p:PARENT_COMMUNITY]->() WHERE c.workspace = $workspace AND p.from > $generation
DELETE p
