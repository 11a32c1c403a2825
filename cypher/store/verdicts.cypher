MATCH (v:Verdict) WHERE v.workspace = $workspace AND v.id IS NOT NULL AND NOT v:__Entity__
RETURN v.low AS low, v.high AS high, v.evidence AS evidence, v.same AS same, v.reason AS reason
