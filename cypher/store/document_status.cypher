MATCH (d:Document)
WHERE d.workspace = $workspace AND d.key > $after AND NOT d:__Entity__
WITH d ORDER BY d.workspace, d.key LIMIT $limit
CALL (d) {
  MATCH (u:TextUnit)-[:PART_OF]->(d) WHERE coalesce(u.workspace, '') = $workspace
  WITH u ORDER BY u.index
  RETURN count(u) AS text_units,
         count(CASE WHEN u.extraction_error IS NULL THEN u.extraction END) AS extracted,
         count(u.extraction_error) AS failed, head(collect(u.extraction_error)) AS error,
         sum(coalesce(u.records_lost, 0)) AS records_lost, sum(coalesce(u.records_pruned, 0)) AS records_pruned,
         sum(coalesce(u.records_gleaned, 0)) AS records_gleaned
}
RETURN d.key AS key, d.title AS title, text_units, extracted, failed, error,
       records_lost, records_pruned, records_gleaned
