MATCH (u:TextUnit) WHERE u.workspace = $workspace AND u.period > ''
RETURN DISTINCT u.period AS period
