MATCH (q:Question) WHERE q.workspace = $workspace AND q.key IS NOT NULL AND size(q.follow_up_ids) > 0 AND NOT q:__Entity__
UNWIND range(0, size(q.follow_up_ids) - 1) AS place
MATCH (o:Question {id: q.follow_up_ids[place]}) WHERE coalesce(o.workspace, '') = $workspace
MERGE (q)-[f:FOLLOWED_BY]->(o)
SET f.order = place
