MATCH (l:Lock {id: $lock})
SET l._lock = 1
SET l.spent_tokens = coalesce(l.spent_tokens, 0) + $tokens, l.spent_cost = coalesce(l.spent_cost, 0.0) + $cost
RETURN l.spent_tokens AS tokens, l.spent_cost AS cost
