MATCH (d:Document)
WHERE d.workspace = $workspace AND d.key > $after AND NOT d:__Entity__
RETURN d.id AS id, d.key AS key, d.title AS title, d.content_hash AS content_hash,
       d.character_count AS character_count, d.text_unit_count AS text_unit_count, d.metadata AS metadata,
       d.origin AS origin,
       CASE WHEN d.date_from IS NULL THEN null
            ELSE [d.date_from, d.date_to, d.date_granularity, d.date_written] END AS date
ORDER BY d.workspace, d.key LIMIT $limit
