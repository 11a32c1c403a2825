UNWIND $ids AS id
MATCH (v:Verdict {id: id})
DELETE v
