// Tombstones of nodes that are there: their vectors would be removed.
MATCH (t:VectorTombstone) WHERE t.workspace = $workspace AND t.kind IS NOT NULL
AND (EXISTS { MATCH (u:TextUnit {id: t.id}) } OR EXISTS { MATCH (e:__Entity__ {id: t.id}) }
  OR EXISTS { MATCH (c:Community {id: t.id}) } OR EXISTS { MATCH (n:TreeNode {id: t.id}) })
RETURN t.id AS id ORDER BY id LIMIT $limit
