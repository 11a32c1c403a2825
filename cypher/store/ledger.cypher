MATCH (l:Ledger {workspace: $workspace}) WHERE NOT l:__Entity__
RETURN l.task AS task, l.model AS model, l.calls AS calls, l.cached AS cached, l.input_tokens AS input_tokens,
    l.cached_tokens AS cached_tokens, l.output_tokens AS output_tokens, l.retries AS retries,
    l.failures AS failures, l.time_ms AS time_ms, l.cost AS cost
