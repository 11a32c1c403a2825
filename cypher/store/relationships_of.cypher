UNWIND $ids AS id
MATCH (e:__Entity__ {id: id}) WHERE coalesce(e.workspace, '') = $workspace
WITH e, CASE WHEN e.dirty IS NULL AND size(e.top_relationships) >= $limit THEN e.top_relationships[..$limit] END AS kept
CALL (e, kept) {
  WITH e, kept WHERE kept IS NOT NULL
  UNWIND kept AS relationship
  MATCH ()-[r:RELATED {id: relationship}]->() WHERE r.workspace = $workspace
  RETURN r
  UNION ALL
  WITH e, kept WHERE kept IS NULL
  MATCH (e)-[r:RELATED]-() WHERE r.weight IS NOT NULL AND coalesce(r.workspace, '') = $workspace
  RETURN r ORDER BY r.weight DESC, r.id LIMIT $limit
}
WITH DISTINCT r
RETURN collect([r.id, startNode(r).id, endNode(r).id, r.type, r.description, r.weight, r.strength, r.text_unit_count,
                coalesce(r.other_types, []), coalesce(r.reverse_types, [])]) AS rows
