// Relationships whose parallel lists of evidence are of unequal length.
MATCH ()-[r:RELATED]->() WHERE r.workspace = $workspace AND r.id IS NOT NULL
WITH r, coalesce(size(r.text_unit_ids), -1) AS length
WHERE length < 0 OR coalesce(size(r.types), -2) <> length OR coalesce(size(r.descriptions), -2) <> length
   OR coalesce(size(r.strengths), -2) <> length OR coalesce(size(r.forwards), -2) <> length
RETURN r.id AS id ORDER BY id LIMIT $limit
