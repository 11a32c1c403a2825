UNWIND $ids AS id
MATCH ()-[r:RELATED {id: id}]->() WHERE r.workspace = $workspace
WITH r, r.text_unit_ids AS text_unit_ids, r.types AS types, r.descriptions AS descriptions,
     r.strengths AS strengths, r.forwards AS forwards
WITH r, text_unit_ids, types, descriptions, strengths, forwards,
     [i IN range(0, size(text_unit_ids) - 1) WHERE text_unit_ids[i] IN $text_units] AS of_them
RETURN r.id AS id, [i IN of_them | text_unit_ids[i]] AS text_unit_ids, [i IN of_them | types[i]] AS kinds,
       [i IN of_them | descriptions[i]] AS descriptions, [i IN of_them | strengths[i]] AS strengths,
       [i IN of_them | forwards[i]] AS forwards
