// A page of the nodes that have one of the labels and are not ours, by element id.
MATCH (n:$any($labels))
WHERE elementId(n) > $after AND NOT n:__Entity__
AND NOT (n.workspace IS NOT NULL AND n.id IS NOT NULL AND any(label IN labels(n) WHERE label IN $ours))
WITH elementId(n) AS element ORDER BY element LIMIT $limit
RETURN element
