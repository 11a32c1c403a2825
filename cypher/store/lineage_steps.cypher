MATCH (s:LineageStep) WHERE s.workspace = $workspace AND s.generation <= $generation
RETURN s {.lineage, .generation, .period, .event, .level, .size, .title, .others} AS step
