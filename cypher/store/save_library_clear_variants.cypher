UNWIND $ids AS id
MATCH (q:Question {id: id}) WHERE coalesce(q.workspace, '') = $workspace
MATCH (v:Question)-[:VARIANT_OF]->(q) WHERE v.key IS NULL
DETACH DELETE v
