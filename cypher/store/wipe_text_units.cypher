MATCH (n:TextUnit) WHERE n.workspace = $workspace AND n.id IS NOT NULL
WITH n LIMIT $limit DETACH DELETE n RETURN count(*) AS count
