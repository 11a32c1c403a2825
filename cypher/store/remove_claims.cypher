UNWIND $ids AS id
MATCH (:TextUnit {id: id})-[:HAS_CLAIM]->(c:Claim)
DETACH DELETE c
