// Communities of the current generation that are not linked to all of their members.
MATCH (g:Graphwright {workspace: $workspace})
MATCH (c:Community) WHERE c.workspace = $workspace AND c.from <= g.generation
AND (c.to IS NULL OR c.to > g.generation) AND c.leaf
CALL (c) {
  UNWIND c.member_ids AS member
  MATCH (e:__Entity__ {id: member}) WHERE NOT EXISTS { (e)-[:IN_COMMUNITY]->(c) }
  RETURN count(e) AS lost
}
WITH c WHERE lost > 0
RETURN c.id AS id ORDER BY id LIMIT $limit
