// The hint keeps a small database from reading every workspace's relationships by their ids alone.
MATCH (a)-[r:RELATED]->(b) USING INDEX r:RELATED(workspace, id)
WHERE r.workspace = $workspace AND r.id > $after AND r.weight IS NOT NULL
WITH a, r, b ORDER BY r.workspace, r.id LIMIT $limit
RETURN r.id AS id, a.id AS source, b.id AS target, r.type AS kind, r.description AS description,
       r.weight AS weight, r.strength AS strength, r.text_unit_count AS text_unit_count,
       coalesce(r.other_types, []) AS other_kinds, coalesce(r.reverse_types, []) AS reverse_kinds
