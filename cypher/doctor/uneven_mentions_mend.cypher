// Removes the mentions of text units whose lists are uneven; they are made anew from the units' records.
UNWIND $ids AS id
MATCH (u:TextUnit {id: id})-[h:HAS_ENTITY]->(e:__Entity__) WHERE u.workspace = $workspace
AND (coalesce(size(h.names), -1) <> coalesce(size(h.types), -2)
  OR coalesce(size(h.names), -1) <> coalesce(size(h.descriptions), -2) OR h.linked IS NULL)
SET e.dirty = e.id
DELETE h
