UNWIND $ids AS id
MATCH (e:__Entity__ {id: id}) WHERE coalesce(e.workspace, '') = $workspace
MATCH (e)-[:IN_COMMUNITY]->(leaf:Community)
WHERE leaf.from <= $generation AND (leaf.to IS NULL OR leaf.to > $generation)
MATCH (leaf)-[steps:PARENT_COMMUNITY*0..32]->(c:Community)
WHERE all(step IN steps WHERE step.from <= $generation AND (step.to IS NULL OR step.to > $generation)
  AND startNode(step).level > endNode(step).level)
RETURN DISTINCT e.id AS entity, c.level AS level, c.id AS community
