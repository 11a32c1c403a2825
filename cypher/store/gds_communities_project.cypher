MATCH (e:__Entity__) WHERE e.workspace = $workspace AND e.id IS NOT NULL AND e.text_unit_count IS NOT NULL
OPTIONAL MATCH (e)-[r:RELATED]->(other:__Entity__) WHERE r.weight IS NOT NULL
WITH gds.graph.project($graph, e, other, {relationshipProperties: CASE WHEN r IS NULL THEN null
  ELSE {weight: toFloat(CASE $weight WHEN 'strength' THEN r.strength ELSE r.weight END)} END},
  {undirectedRelationshipTypes: ['*']}) AS projected
// of no rows the aggregation is null
RETURN coalesce(projected.nodeCount, 0) AS count
