UNWIND $ids AS id
MATCH ()-[r:RELATED {id: id}]->() WHERE r.workspace = $workspace AND r.weight IS NOT NULL
UNWIND range(0, size(coalesce(r.periods, [])) - 1) AS at
RETURN r.id AS id, r.periods[at] AS period, r.period_documents[at] AS documents,
       r.period_text_units[at] AS text_units, r.period_mentions[at] AS mentions,
       r.period_strengths[at] AS strength, 0 AS claims, 0 AS sentiment, 0 AS judged
