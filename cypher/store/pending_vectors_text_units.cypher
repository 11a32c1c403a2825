MATCH (u:TextUnit) WHERE u.workspace = $workspace AND u.vector_pending > ''
WITH u ORDER BY u.workspace, u.vector_pending LIMIT $limit
MATCH (u)-[:PART_OF]->(d:Document)
RETURN u.id AS id, u.text AS text, d.id AS document_id,
       u.vector_fingerprint AS stored_fingerprint
