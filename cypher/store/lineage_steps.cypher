MATCH (s:LineageStep) WHERE s.workspace = $workspace AND NOT s:__Entity__ AND s.generation <= $generation
RETURN s {.lineage, .generation, .period, .event, .level, .size, .title, .others} AS step
