UNWIND $periods AS period
MATCH (u:TextUnit) WHERE u.workspace = $workspace AND u.period = period
WITH DISTINCT u.document_key AS key
RETURN key LIMIT $limit
