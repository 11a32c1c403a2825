MATCH (n:ChangedName) WHERE n.workspace = $workspace AND n.id IS NOT NULL
WITH n LIMIT $limit DELETE n RETURN count(*) AS count
