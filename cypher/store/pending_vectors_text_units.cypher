MATCH (u:TextUnit) WHERE u.workspace = $workspace AND u.vector_pending > ''
WITH u ORDER BY u.workspace, u.vector_pending LIMIT $limit
MATCH (u)-[:PART_OF]->(d:Document)
RETURN d.title AS title, u.vector_fingerprint AS stored_fingerprint,
       u {.id, document_id: d.id, .index, .text, .token_count, .start_offset, .end_offset, .headings} AS unit
