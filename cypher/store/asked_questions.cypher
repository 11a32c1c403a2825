MATCH (a:AskedQuestion) WHERE a.workspace = $workspace AND a.question IS NOT NULL AND NOT a:__Entity__
RETURN a.question AS question, a.count AS count, a.last AS last, a.outcome AS outcome
