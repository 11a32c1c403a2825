MATCH (c:QuestionChange) WHERE c.workspace = $workspace AND c.sequence IS NOT NULL AND NOT c:__Entity__
RETURN coalesce(max(c.sequence), 0) AS count
