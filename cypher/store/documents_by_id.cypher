UNWIND $ids AS id
MATCH (d:Document {id: id}) WHERE d.workspace = $workspace
RETURN d.id AS id, d.key AS key, d.title AS title, d.content_hash AS content_hash,
       d.character_count AS character_count, d.text_unit_count AS text_unit_count, d.metadata AS metadata,
       d.origin AS origin,
       CASE WHEN d.date_from IS NULL THEN null
            ELSE [d.date_from, d.date_to, d.date_granularity, d.date_written] END AS date
