MATCH (n:Ledger) WHERE n.workspace = $workspace
WITH n LIMIT $limit DETACH DELETE n RETURN count(*) AS count
