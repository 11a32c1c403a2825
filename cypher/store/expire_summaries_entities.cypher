MATCH (e:__Entity__) WHERE e.workspace = $workspace AND e.id > $after
AND NOT e.summary_fingerprint STARTS WITH $settings + '/'
WITH e ORDER BY e.workspace, e.id LIMIT $limit
SET e.summary = null, e.summary_fingerprint = null, e.dirty = e.id
RETURN max(e.id) AS last, count(e) AS count
