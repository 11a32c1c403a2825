UNWIND $ids AS id
MATCH (e:__Entity__ {id: id}) WHERE coalesce(e.workspace, '') = $workspace AND e.text_unit_count IS NOT NULL
MATCH (e)-[i:IN_PERIOD]->(p:Period)
RETURN e.id AS id, p.interval AS period, i.documents AS documents, i.text_units AS text_units,
       i.mentions AS mentions, 0 AS strength, coalesce(i.claims, 0) AS claims,
       i.sentiment_sum AS sentiment, i.judged AS judged
