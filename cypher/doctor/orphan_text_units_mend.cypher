// Removes text units with their mentions and claims; what they relate loses them when its evidence is made anew.
UNWIND $ids AS id
MATCH (u:TextUnit {id: id}) WHERE u.workspace = $workspace
CALL (u) { MATCH (u)-[:HAS_ENTITY]->(e:__Entity__) SET e.dirty = e.id }
CALL (u) { MATCH (u)-[:HAS_CLAIM]->(c:Claim) DETACH DELETE c }
MERGE (t:VectorTombstone {id: id}) SET t.workspace = $workspace, t.kind = 'text_units'
DETACH DELETE u
