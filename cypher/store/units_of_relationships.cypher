UNWIND $ids AS id
MATCH ()-[r:RELATED {id: id}]->() WHERE r.workspace = $workspace
CALL (r) {
  UNWIND r.text_unit_ids AS unit_id
  WITH DISTINCT unit_id
  MATCH (u:TextUnit {id: unit_id})
  RETURN u ORDER BY u.document_key, u.index, u.id LIMIT $limit
}
RETURN r.id AS id, u.document_key AS document_key, u.index AS unit_index, u.id AS text_unit
