SHOW INDEXES YIELD name, type, labelsOrTypes, properties, state
RETURN name, type, coalesce(labelsOrTypes, []) AS labels, coalesce(properties, []) AS properties, state
