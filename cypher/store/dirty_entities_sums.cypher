UNWIND $ids AS id
MATCH (e:__Entity__ {id: id}) WHERE coalesce(e.workspace, '') = $workspace
RETURN e.id AS id, COUNT { (e)-[:RELATED]-() } AS degree, e.summary_fingerprint AS summary_fingerprint,
       e.summary AS summary
