MATCH (l:Lock {id: $lock})
SET l.spent_tokens = 0, l.spent_cost = 0.0
