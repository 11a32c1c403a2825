UNWIND $rows AS row
MERGE (n:Name {id: row.id})
ON CREATE SET n.workspace = $workspace, n.key = row.key, n.page = row.page, n.text_unit_count = 0,
  n.names = [], n.name_counts = [], n.kinds = [], n.kind_counts = []
SET n._lock = 1
RETURN n.id AS id, n.text_unit_count AS text_unit_count, n.names AS names, n.name_counts AS name_counts,
       n.kinds AS kinds, n.kind_counts AS kind_counts
