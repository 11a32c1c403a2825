// Relationships as people made them by hand, beside what documents say of them.
UNWIND $rows AS row
MATCH (a:__Entity__ {id: row.source}) WHERE coalesce(a.workspace, '') = $workspace
MATCH (b:__Entity__ {id: row.target}) WHERE coalesce(b.workspace, '') = $workspace
OPTIONAL MATCH ()-[there:RELATED {id: row.id}]->()
FOREACH (missing IN CASE WHEN there IS NULL THEN [row] ELSE [] END |
  CREATE (a)-[r:RELATED {id: missing.id}]->(b)
  SET r += missing.properties, r.workspace = $workspace, r.manual = true, r.text_unit_count = 0, r.text_unit_ids = [],
      r.types = [], r.descriptions = [], r.strengths = [], r.forwards = []
)
FOREACH (r IN CASE WHEN there IS NULL THEN [] ELSE [there] END | SET r += row.properties, r.manual = true)
SET a.dirty = a.id, b.dirty = b.id
