// What holds a value of another type than a run writes, so that it cannot be read: by what the database calls it.
CALL () {
  MATCH (e:__Entity__) WHERE e.workspace = $workspace AND e.id IS NOT NULL
  AND NOT (e.name IS :: STRING AND e.type IS :: STRING AND e.description IS :: STRING AND e.aliases IS :: LIST<STRING>
    AND e.degree IS :: INTEGER AND e.text_unit_count IS :: INTEGER AND e.dirty IS :: STRING AND e.label IS :: STRING
    AND e.summary IS :: STRING AND e.summary_fingerprint IS :: STRING AND e.summed_name IS :: STRING
    AND e.vector_pending IS :: STRING AND e.vector_fingerprint IS :: STRING)
  RETURN elementId(e) AS id
  UNION
  MATCH ()-[r:RELATED]->() WHERE r.workspace = $workspace AND r.id IS NOT NULL
  AND NOT (r.type IS :: STRING AND r.description IS :: STRING AND r.weight IS :: INTEGER AND r.strength IS :: INTEGER
    AND r.text_unit_count IS :: INTEGER AND r.dirty IS :: STRING AND r.summary IS :: STRING
    AND r.summary_fingerprint IS :: STRING AND r.text_unit_ids IS :: LIST<STRING> AND r.types IS :: LIST<STRING>
    AND r.descriptions IS :: LIST<STRING> AND r.strengths IS :: LIST<INTEGER> AND r.forwards IS :: LIST<BOOLEAN>
    AND r.other_types IS :: LIST<STRING> AND r.reverse_types IS :: LIST<STRING>
    AND (r.dirty IS NOT NULL OR r.description IS NOT NULL AND r.weight IS NOT NULL AND r.strength IS NOT NULL
      AND r.text_unit_count IS NOT NULL))
  RETURN elementId(r) AS id
  UNION
  MATCH (u:TextUnit) WHERE u.workspace = $workspace AND u.id IS NOT NULL AND NOT u:__Entity__
  AND NOT (u.text IS :: STRING NOT NULL AND u.document_key IS :: STRING NOT NULL AND u.index IS :: INTEGER NOT NULL
    AND u.token_count IS :: INTEGER NOT NULL AND u.start_offset IS :: INTEGER NOT NULL
    AND u.end_offset IS :: INTEGER NOT NULL AND u.headings IS :: LIST<STRING>)
  RETURN elementId(u) AS id
  UNION
  MATCH (d:Document) WHERE d.workspace = $workspace AND d.key IS NOT NULL AND NOT d:__Entity__
  AND NOT (d.title IS :: STRING NOT NULL AND d.content_hash IS :: STRING NOT NULL AND d.metadata IS :: STRING NOT NULL
    AND d.character_count IS :: INTEGER NOT NULL AND d.text_unit_count IS :: INTEGER NOT NULL)
  RETURN elementId(d) AS id
}
RETURN id ORDER BY id LIMIT $limit
