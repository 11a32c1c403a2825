MATCH (e:__Entity__) WHERE e.workspace = $workspace AND e.id IS NOT NULL AND e.text_unit_count IS NOT NULL
CALL (e) {
  MATCH (e)-[r:RELATED]->(other) WHERE r.weight IS NOT NULL
  RETURN collect(id(other)) AS others, collect(r.weight) AS weights, collect(r.strength) AS strengths
}
WITH e, others, weights, strengths WHERE size(others) > 0
RETURN id(e) AS node, others, weights, strengths
