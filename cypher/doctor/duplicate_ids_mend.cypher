// Keeps the oldest of the nodes or relationships that share an id.
UNWIND $ids AS id
CALL (id) {
  MATCH (n {id: id}) WHERE n.workspace = $workspace
  WITH n ORDER BY elementId(n) SKIP 1
  DETACH DELETE n
}
CALL (id) {
  MATCH ()-[r:RELATED {id: id}]->() WHERE r.workspace = $workspace
  SET r.dirty = id
  WITH r ORDER BY elementId(r) SKIP 1
  DELETE r
}
