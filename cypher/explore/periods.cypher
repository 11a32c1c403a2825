// The periods of the graph in order: how many entities each names, how many text units, and the mean sentiment.
:param workspace => 'default';
MATCH (p:Period)<-[i:IN_PERIOD]-(e:__Entity__) WHERE p.workspace = $workspace
RETURN p.key AS period, toString(p.from) AS from_day, toString(p.to) AS to_day, count(e) AS entities,
       sum(i.mentions) AS mentions, round(toFloat(sum(i.sentiment_sum)) / CASE sum(i.judged) WHEN 0 THEN 1 ELSE sum(i.judged) END / 1000, 2) AS sentiment
ORDER BY from_day, to_day;
