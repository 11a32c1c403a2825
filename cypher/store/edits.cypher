MATCH (e:Edit) WHERE e.workspace = $workspace AND e.sequence IS NOT NULL AND NOT e:__Entity__
RETURN e.id AS id, e.sequence AS sequence, e.edit AS edit
