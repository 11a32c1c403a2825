UNWIND $rows AS row
MERGE (l:Ledger {id: row.id})
ON CREATE SET l.workspace = $workspace, l.task = row.task, l.model = row.model, l.calls = 0, l.cached = 0,
    l.input_tokens = 0, l.cached_tokens = 0, l.output_tokens = 0, l.retries = 0, l.failures = 0, l.time_ms = 0,
    l.cost = 0.0
SET l._lock = 1
SET l.calls = l.calls + row.calls, l.cached = l.cached + row.cached,
    l.input_tokens = l.input_tokens + row.input_tokens, l.cached_tokens = l.cached_tokens + row.cached_tokens,
    l.output_tokens = l.output_tokens + row.output_tokens, l.retries = l.retries + row.retries,
    l.failures = l.failures + row.failures, l.time_ms = l.time_ms + row.time_ms, l.cost = l.cost + row.cost
REMOVE l._lock
