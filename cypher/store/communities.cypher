MATCH (c:Community) WHERE c.workspace = $workspace AND c.from <= $generation
AND (c.to IS NULL OR c.to > $generation) AND NOT c:__Entity__
RETURN c {.id, .level, .leaf, .oversized, .fingerprint, .lineage, .period, .title, .summary, .rank,
          .rank_explanation, .composed} AS community
