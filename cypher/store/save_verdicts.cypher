UNWIND $rows AS row
MERGE (v:Verdict {id: row.id})
SET v.workspace = $workspace, v.low = row.low, v.high = row.high, v.evidence = row.evidence, v.same = row.same,
    v.reason = row.reason
