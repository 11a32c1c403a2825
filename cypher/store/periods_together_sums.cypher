UNWIND $ids AS id
MATCH (e:__Entity__ {id: id}) WHERE coalesce(e.workspace, '') = $workspace AND e.text_unit_count IS NOT NULL
MATCH (e)-[i:IN_PERIOD]->(p:Period)
RETURN p.interval AS period, sum(i.mentions) AS mentions, sum(coalesce(i.claims, 0)) AS claims,
       sum(i.sentiment_sum) AS sentiment, sum(i.judged) AS judged
