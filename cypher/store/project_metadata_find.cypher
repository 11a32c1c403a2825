// Documents from behind a key whose properties are not those of these keys of metadata.
MATCH (d:Document) WHERE d.workspace = $workspace AND d.key > $after
WITH d, [name IN keys(d) WHERE name STARTS WITH 'meta_' | substring(name, 5)] AS shown
WITH d, shown, [key IN coalesce(d.metadata_keys, shown) WHERE key IN $keys] AS wanted
WHERE size(shown) <> size(wanted) OR any(key IN shown WHERE NOT key IN wanted)
RETURN d.id AS id, d.key AS document_key, d.metadata AS metadata, shown
ORDER BY d.key LIMIT $limit
