// Documents whose text units are not all there, numbered from 0 and chained from the first to the last.
MATCH (d:Document) WHERE d.workspace = $workspace AND d.key IS NOT NULL AND NOT d:__Entity__
CALL (d) {
  OPTIONAL MATCH (u:TextUnit)-[:PART_OF]->(d) WHERE coalesce(u.workspace, '') = $workspace
  RETURN count(u) AS units, count(DISTINCT u.index) AS places, coalesce(max(u.index), -1) AS last,
         count(CASE WHEN u.index = 0 AND NOT EXISTS { (d)-[:FIRST_CHUNK]->(u) } THEN 1 END)
         + count(CASE WHEN u.index > 0 AND COUNT { MATCH (p:TextUnit)-[:NEXT_CHUNK]->(u)
                      WHERE p.index = u.index - 1 } <> 1 THEN 1 END) AS loose
}
WITH d WHERE units <> d.text_unit_count OR places <> units OR last <> units - 1 OR loose > 0
RETURN d.id AS id ORDER BY id LIMIT $limit
