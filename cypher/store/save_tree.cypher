UNWIND $rows AS row
MERGE (n:TreeNode {id: row.id}) ON CREATE SET n.workspace = $workspace
SET n._lock = 1
WITH n, row, CASE WHEN n.from IS NULL OR n.to < $generation THEN $generation ELSE n.from END AS from,
     n.text IS NULL AS anew
SET n:$(row.label), n += row.properties, n.from = from, n.to = null, n._lock = null,
    n.vector_pending = CASE WHEN anew THEN row.id ELSE n.vector_pending END
