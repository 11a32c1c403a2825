UNWIND $ids AS id
MATCH (c:Community {id: id}) WHERE c.workspace = $workspace AND c.from IS NOT NULL
WITH c, CASE WHEN c.to IS NOT NULL THEN c.to - 1 WHEN c.from > $generation THEN c.from ELSE $generation END AS at
CALL (c, at) {
  MATCH (c)-[p:PARENT_COMMUNITY]->(parent:Community)
  WHERE p.from <= at AND (p.to IS NULL OR p.to > at)
  RETURN head(collect(parent.id)) AS parent
}
CALL (c, at) {
  MATCH (c)<-[steps:PARENT_COMMUNITY*0..32]-(leaf:Community)
  WHERE all(step IN steps WHERE step.from <= at AND (step.to IS NULL OR step.to > at))
  UNWIND leaf.member_ids AS member
  RETURN collect(DISTINCT member) AS members
}
CALL (c) {
  OPTIONAL MATCH (c)-[:HAS_FINDING]->(f:Finding)
  WITH f ORDER BY f.index
  RETURN collect(f {.summary, .explanation, .citations}) AS findings
}
RETURN c {.id, .level, .leaf, .oversized, .fingerprint, .lineage, .period, .title, .summary, .rank,
          .rank_explanation, .composed} AS community, parent, members, findings
