// How many documents have each key of metadata. Those that an older version wrote have them all as properties.
MATCH (d:Document) WHERE d.workspace = $workspace AND d.key IS NOT NULL
UNWIND coalesce(d.metadata_keys, [name IN keys(d) WHERE name STARTS WITH 'meta_' | substring(name, 5)]) AS key
RETURN key, count(*) AS documents
