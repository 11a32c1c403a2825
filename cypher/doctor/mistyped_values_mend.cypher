// Gives what is of another type than a run writes a value of that type. Sums are made anew, documents read again.
UNWIND $ids AS id
CALL (id) {
  MATCH (e:__Entity__) WHERE elementId(e) = id AND e.workspace = $workspace
  SET e.name = CASE WHEN e.name IS :: STRING THEN e.name
                    WHEN e.summed_name IS :: STRING NOT NULL THEN e.summed_name ELSE e.id END,
      e.type = CASE WHEN e.type IS :: STRING THEN e.type ELSE '' END,
      e.description = CASE WHEN e.description IS :: STRING THEN e.description ELSE '' END,
      e.aliases = CASE WHEN e.aliases IS :: LIST<STRING> THEN e.aliases ELSE [] END,
      e.degree = CASE WHEN e.degree IS :: INTEGER THEN e.degree ELSE 0 END,
      e.text_unit_count = CASE WHEN e.text_unit_count IS :: INTEGER THEN e.text_unit_count ELSE 0 END,
      e.label = CASE WHEN e.label IS :: STRING THEN e.label END,
      e.summary = CASE WHEN e.summary IS :: STRING THEN e.summary END,
      e.summary_fingerprint = CASE WHEN e.summary_fingerprint IS :: STRING THEN e.summary_fingerprint END,
      e.summed_name = CASE WHEN e.summed_name IS :: STRING THEN e.summed_name END,
      e.vector_fingerprint = CASE WHEN e.vector_fingerprint IS :: STRING THEN e.vector_fingerprint END,
      e.vector_pending = e.id, e.dirty = e.id
}
// one that says nothing at all is no evidence
CALL (id) {
  MATCH (a)-[r:RELATED]->(b) WHERE elementId(r) = id AND r.workspace = $workspace
    AND r.weight IS NULL AND r.description IS NULL
  SET a.dirty = a.id, b.dirty = b.id
  DELETE r
}
CALL (id) {
  MATCH (a)-[r:RELATED]->(b) WHERE elementId(r) = id AND r.workspace = $workspace
  SET r.type = CASE WHEN r.type IS :: STRING NOT NULL THEN r.type ELSE '' END,
      r.description = CASE WHEN r.description IS :: STRING NOT NULL THEN r.description ELSE '' END,
      r.weight = CASE WHEN r.weight IS :: INTEGER NOT NULL THEN r.weight ELSE 0 END,
      r.strength = CASE WHEN r.strength IS :: INTEGER NOT NULL THEN r.strength ELSE 0 END,
      r.text_unit_count = CASE WHEN r.text_unit_count IS :: INTEGER NOT NULL THEN r.text_unit_count ELSE 0 END,
      r.summary = CASE WHEN r.summary IS :: STRING THEN r.summary END,
      r.summary_fingerprint = CASE WHEN r.summary_fingerprint IS :: STRING THEN r.summary_fingerprint END,
      r.text_unit_ids = CASE WHEN r.text_unit_ids IS :: LIST<STRING> THEN r.text_unit_ids ELSE [] END,
      r.types = CASE WHEN r.types IS :: LIST<STRING> THEN r.types ELSE [] END,
      r.descriptions = CASE WHEN r.descriptions IS :: LIST<STRING> THEN r.descriptions ELSE [] END,
      r.strengths = CASE WHEN r.strengths IS :: LIST<INTEGER> THEN r.strengths ELSE [] END,
      r.forwards = CASE WHEN r.forwards IS :: LIST<BOOLEAN> THEN r.forwards ELSE [] END,
      r.other_types = CASE WHEN r.other_types IS :: LIST<STRING> THEN r.other_types END,
      r.reverse_types = CASE WHEN r.reverse_types IS :: LIST<STRING> THEN r.reverse_types END,
      r.dirty = r.id, a.dirty = a.id, b.dirty = b.id
}
CALL (id) {
  MATCH (d:Document) WHERE elementId(d) = id AND d.workspace = $workspace
  SET d.title = CASE WHEN d.title IS :: STRING NOT NULL THEN d.title ELSE d.key END,
      d.metadata = CASE WHEN d.metadata IS :: STRING NOT NULL THEN d.metadata ELSE '{}' END,
      d.character_count = CASE WHEN d.character_count IS :: INTEGER NOT NULL THEN d.character_count ELSE 0 END,
      d.text_unit_count = CASE WHEN d.text_unit_count IS :: INTEGER NOT NULL THEN d.text_unit_count ELSE 0 END,
      d.content_hash = ''
}
// the text of such a unit is lost: its document is read again
CALL (id) {
  MATCH (u:TextUnit) WHERE elementId(u) = id AND u.workspace = $workspace
  OPTIONAL MATCH (u)-[:PART_OF]->(d:Document) WHERE d.workspace = $workspace
  SET d.content_hash = ''
  WITH u
  OPTIONAL MATCH (u)-[:HAS_ENTITY]->(e:__Entity__) WHERE e.workspace = $workspace
  SET e.dirty = e.id
  WITH DISTINCT u
  DETACH DELETE u
}
