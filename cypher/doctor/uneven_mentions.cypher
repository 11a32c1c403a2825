// Text units with a mention whose lists are of unequal length.
MATCH (u:TextUnit)-[h:HAS_ENTITY]->(:__Entity__) WHERE u.workspace = $workspace
AND (coalesce(size(h.names), -1) <> coalesce(size(h.types), -2)
  OR coalesce(size(h.names), -1) <> coalesce(size(h.descriptions), -2) OR h.linked IS NULL)
RETURN DISTINCT u.id AS id ORDER BY id LIMIT $limit
