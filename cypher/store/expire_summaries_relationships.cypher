MATCH ()-[r:RELATED]->() WHERE r.workspace = $workspace AND r.id > $after
AND NOT r.summary_fingerprint STARTS WITH $settings + '/'
WITH r ORDER BY r.workspace, r.id LIMIT $limit
SET r.summary = null, r.summary_fingerprint = null, r.dirty = r.id
RETURN max(r.id) AS last, count(r) AS count
