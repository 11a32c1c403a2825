UNWIND $rows AS row
OPTIONAL MATCH ()-[r:RELATED {id: row.id}]->()
CALL (row, r) {
  WITH row, r WHERE r IS NULL
  MATCH (source:__Entity__ {id: row.source}) MATCH (target:__Entity__ {id: row.target})
  CREATE (source)-[new:RELATED {id: row.id}]->(target)
  SET new.workspace = $workspace, new.dirty = row.id, new.type = row.types[0],
      new.description = row.descriptions[0], new.text_unit_ids = row.text_unit_ids, new.types = row.types,
      new.descriptions = row.descriptions, new.strengths = row.strengths, new.forwards = row.forwards
  RETURN count(*) AS created
}
WITH row, r WHERE r IS NOT NULL
SET r.dirty = row.id
WITH r, row, r.text_unit_ids AS text_unit_ids, r.types AS types, r.descriptions AS descriptions,
     r.strengths AS strengths, r.forwards AS forwards
WITH r, row, text_unit_ids, types, descriptions, strengths, forwards,
     [i IN range(0, size(text_unit_ids) - 1) WHERE NOT text_unit_ids[i] IN row.replaced] AS kept
SET r.text_unit_ids = [i IN kept | text_unit_ids[i]] + row.text_unit_ids,
    r.types = [i IN kept | types[i]] + row.types,
    r.descriptions = [i IN kept | descriptions[i]] + row.descriptions,
    r.strengths = [i IN kept | strengths[i]] + row.strengths,
    r.forwards = [i IN kept | forwards[i]] + row.forwards
