UNWIND $ids AS id
MATCH (:Community {id: id})-[:HAS_FINDING]->(f:Finding)
DETACH DELETE f
