UNWIND $ids AS id
MATCH (e:__Entity__ {id: id}) WHERE coalesce(e.workspace, '') = $workspace
MATCH (u:TextUnit)-[h:HAS_ENTITY]->(e) WHERE h.sentiment IS NOT NULL
RETURN e.id AS entity, u.id AS text_unit, h.sentiment AS sentiment, h.sentiment_words AS sentiment_words,
       h.opinion_holders AS opinion_holders, h.opinion_scores AS opinion_scores, h.opinion_quotes AS opinion_quotes
