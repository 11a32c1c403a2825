MATCH (a:AskedQuestion) WHERE a.workspace = $workspace AND ($questions IS NULL OR a.question IN $questions) AND NOT a:__Entity__
DETACH DELETE a
RETURN count(*) AS count
