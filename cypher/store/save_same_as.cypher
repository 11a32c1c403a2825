// From ours to theirs: nothing of their node changes.
UNWIND $rows AS row
MATCH (e:Entity {id: row.entity})
MATCH (n) WHERE elementId(n) = row.element AND NOT n:__Entity__
MERGE (e)-[:SAME_AS {workspace: $workspace, graph: $graph}]->(n)
