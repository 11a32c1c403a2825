// The leading entities: most relationships first, with the number of text units that mention each.
:param workspace => 'default';
:param limit => 25;
MATCH (e:__Entity__) WHERE e.workspace = $workspace AND e.degree > 0
RETURN e.name AS name, e.type AS type, e.degree AS degree, e.text_unit_count AS text_units, e.description AS description
ORDER BY degree DESC, text_units DESC, name LIMIT $limit;
