UNWIND $ids AS id
MATCH (u:TextUnit {id: id})
MATCH (u)-[h:HAS_ENTITY]->(e:__Entity__)
RETURN u.id AS text_unit, e.id AS entity, h.names AS names, h.types AS kinds, h.descriptions AS descriptions,
       h.linked AS linked, h.sentiment AS sentiment, h.sentiment_words AS sentiment_words,
       h.opinion_holders AS opinion_holders, h.opinion_scores AS opinion_scores, h.opinion_quotes AS opinion_quotes
