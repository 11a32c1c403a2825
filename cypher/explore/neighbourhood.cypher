// The neighbourhood of an entity: everything it is related to, heaviest first, as a graph.
:param workspace => 'default';
:param name => 'Scrooge';
:param limit => 50;
CALL db.index.fulltext.queryNodes('entities', '"' + replace($name, '"', '') + '"') YIELD node AS e
WHERE e.workspace = $workspace AND (e.name = $name OR $name IN e.aliases)
MATCH path = (e)-[r:RELATED]-(:__Entity__)
RETURN path ORDER BY r.weight DESC LIMIT $limit;
