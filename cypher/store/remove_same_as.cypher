UNWIND $rows AS row
MATCH (n) WHERE elementId(n) = row.element
MATCH (:Entity {id: row.entity})-[s:SAME_AS {workspace: $workspace, graph: $graph}]->(n)
DELETE s
