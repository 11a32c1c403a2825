UNWIND $ids AS id
MATCH (e:__Entity__ {id: id}) WHERE coalesce(e.workspace, '') = $workspace AND e.text_unit_count IS NOT NULL
MATCH (e)-[r:RELATED]->(o:__Entity__) WHERE o.id IN $ids AND r.weight IS NOT NULL
UNWIND range(0, size(coalesce(r.periods, [])) - 1) AS at
RETURN r.periods[at] AS period, sum(r.period_strengths[at]) AS strength
