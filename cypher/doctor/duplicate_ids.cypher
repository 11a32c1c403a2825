// Ids that more than one node or relationship has; constraints keep them from coming to be.
CALL () {
  MATCH (n) WHERE n:Document OR n:TextUnit OR n:__Entity__ OR n:Community OR n:Claim
  WITH n WHERE n.workspace = $workspace AND n.id IS NOT NULL
  WITH n.id AS id, count(*) AS count WHERE count > 1
  RETURN id
  UNION
  MATCH ()-[r:RELATED]->() WHERE r.workspace = $workspace AND r.id IS NOT NULL
  WITH r.id AS id, count(*) AS count WHERE count > 1
  RETURN id
}
RETURN id ORDER BY id LIMIT $limit
