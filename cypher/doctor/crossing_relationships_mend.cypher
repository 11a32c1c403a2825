// Removes relationships by what the database calls them; entities at their ends are summed up anew.
UNWIND $ids AS id
MATCH (a)-[r]->(b) WHERE elementId(r) = id AND a.workspace <> b.workspace AND $workspace IN [a.workspace, b.workspace]
FOREACH (end IN [end IN [a, b] WHERE end:__Entity__] | SET end.dirty = end.id)
DELETE r
