MATCH (n:Name) WHERE n.workspace = $workspace AND n.page STARTS WITH $prefix
  AND $shortest <= size(n.key) <= $longest
RETURN n.key AS key
