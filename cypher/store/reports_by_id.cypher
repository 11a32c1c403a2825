UNWIND $ids AS id
MATCH (c:Community {id: id})
WHERE c.workspace = $workspace AND c.from <= $generation AND (c.to IS NULL OR c.to > $generation)
CALL (c) {
  MATCH (c)-[p:PARENT_COMMUNITY]->(parent:Community)
  WHERE p.from <= $generation AND (p.to IS NULL OR p.to > $generation)
  RETURN head(collect(parent.id)) AS parent
}
CALL (c) {
  OPTIONAL MATCH (c)-[:HAS_FINDING]->(f:Finding)
  WITH f ORDER BY f.index
  RETURN collect(f {.summary, .explanation, .citations}) AS findings
}
RETURN c {.id, .level, .leaf, .oversized, .fingerprint, .lineage, .period, .title, .summary, .rank,
          .rank_explanation, .composed} AS community, parent, [] AS members, findings
