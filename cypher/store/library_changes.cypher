MATCH (c:QuestionChange) WHERE c.workspace = $workspace AND ($key IS NULL OR c.key = $key) AND NOT c:__Entity__
RETURN c.sequence AS sequence, c.change AS json
