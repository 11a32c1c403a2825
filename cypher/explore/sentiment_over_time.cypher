// What is said for or against an entity over time: mean sentiment of each period, and the words that carry it.
:param workspace => 'default';
:param name => 'Scrooge';
MATCH (e:__Entity__ {workspace: $workspace, name: $name})<-[h:HAS_ENTITY]-(u:TextUnit)
WHERE h.sentiment IS NOT NULL
UNWIND CASE WHEN size(h.sentiment_words) = 0 THEN [null] ELSE h.sentiment_words END AS word
WITH u, h, collect(word) AS words
WITH u.period AS period, avg(h.sentiment) AS sentiment, count(*) AS text_units,
     reduce(all = [], part IN collect(words) | all + part) AS words
RETURN period, round(sentiment, 2) AS sentiment, text_units, words[..12] AS words
ORDER BY period;
