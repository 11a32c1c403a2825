// What the summaries of a document say, the highest first, and how many passages each stands over.
:param workspace => 'default';
:param document => 'carol.txt';
MATCH (d:Document {workspace: $workspace, key: $document})
MATCH (s:Summary {document_id: d.id}) WHERE s.workspace = $workspace AND s.to IS NULL
RETURN s.level AS level, s.text AS summary, COUNT { (:Leaf)-[:SUMMARIZED_BY*]->(s) } AS passages
ORDER BY level DESC, passages DESC;
