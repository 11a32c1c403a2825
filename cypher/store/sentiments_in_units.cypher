UNWIND $ids AS id
MATCH (u:TextUnit {id: id}) WHERE coalesce(u.workspace, '') = $workspace
MATCH (u)-[h:HAS_ENTITY]->(e:__Entity__) WHERE h.sentiment IS NOT NULL
RETURN e.id AS entity, u.id AS text_unit, h.sentiment AS sentiment, h.sentiment_words AS sentiment_words,
       h.opinion_holders AS opinion_holders, h.opinion_scores AS opinion_scores, h.opinion_quotes AS opinion_quotes
