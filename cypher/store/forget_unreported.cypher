MATCH (e:__Entity__) WHERE e.workspace = $workspace AND e.unreported > ''
WITH e LIMIT $limit
SET e.unreported = null
RETURN count(*) AS count
