SHOW CONSTRAINTS YIELD entityType, labelsOrTypes WHERE entityType = 'NODE'
RETURN DISTINCT coalesce(labelsOrTypes, []) AS labels
