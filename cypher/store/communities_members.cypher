MATCH (c:Community) WHERE c.workspace = $workspace AND c.from <= $generation
AND (c.to IS NULL OR c.to > $generation)
WITH c WHERE c.leaf
CALL (c) {
  UNWIND c.member_ids AS member
  MATCH (e:__Entity__ {id: member}) WHERE coalesce(e.workspace, '') = $workspace
  RETURN collect(e.id) AS members
}
RETURN c.id AS id, members
