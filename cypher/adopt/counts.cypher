// How many nodes and relationships would be adopted.
MATCH (n:$any($labels))
WHERE NOT n:__Entity__
AND NOT (n.workspace IS NOT NULL AND n.id IS NOT NULL AND any(label IN labels(n) WHERE label IN $ours))
RETURN count(n) AS nodes, count(n[$name]) AS named,
  sum(COUNT { (n)-[:$any($types)]->(:$any($labels)) }) AS relationships
