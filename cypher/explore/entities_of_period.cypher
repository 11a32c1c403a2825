// The entities of a period as they are counted: those that most of its documents name first.
// A year, a quarter or a month holds the periods inside of it: '1843', '1843-Q4', '1843-12', '1843-12-19'.
:param workspace => 'default';
:param period => '1843-12';
MATCH (p:Period {workspace: $workspace})<-[i:IN_PERIOD]-(e:__Entity__)
WHERE p.key = $period OR p.key STARTS WITH $period + '-'
   OR p.from.year = p.to.year AND p.from.quarter = p.to.quarter
      AND $period = toString(p.from.year) + '-Q' + toString(p.from.quarter)
RETURN e.name AS name, e.type AS type, sum(i.documents) AS documents, sum(i.text_units) AS text_units,
       sum(i.mentions) AS mentions,
       round(toFloat(sum(i.sentiment_sum)) / CASE sum(i.judged) WHEN 0 THEN 1 ELSE sum(i.judged) END / 1000, 2) AS sentiment
ORDER BY documents DESC, text_units DESC, name LIMIT 50;
