UNWIND $ids AS id
MATCH (q:Question {id: id}) WHERE coalesce(q.workspace, '') = $workspace
OPTIONAL MATCH (q)-[:HAS_ANSWER]->(a:Answer)
DETACH DELETE a, q
