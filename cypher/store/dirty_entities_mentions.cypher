UNWIND $ids AS id
MATCH (e:__Entity__ {id: id}) WHERE coalesce(e.workspace, '') = $workspace
MATCH (u:TextUnit)-[h:HAS_ENTITY]->(e) WHERE coalesce(u.workspace, '') = $workspace
RETURN e.id AS entity, u.document_key AS document_key, u.index AS unit_index, u.id AS text_unit, u.period AS period,
       h.names AS names, h.types AS kinds, h.descriptions AS descriptions, h.linked AS linked,
       h.sentiment AS sentiment, h.sentiment_words AS sentiment_words, h.opinion_holders AS opinion_holders,
       h.opinion_scores AS opinion_scores, h.opinion_quotes AS opinion_quotes
