CALL db.index.fulltext.queryNodes($index, $query) YIELD node AS u
WHERE u.workspace = $workspace
RETURN u.id AS id
