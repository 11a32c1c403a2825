UNWIND $rows AS row
MERGE (p:Period {id: row.id})
ON CREATE SET p.workspace = $workspace, p.interval = row.interval, p.key = row.key, p.from = date(row.from),
  p.to = date(row.to)
