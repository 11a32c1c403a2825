// The summary tree of a document, as a graph: passages and summaries point to what sums them up.
:param workspace => 'default';
:param document => 'carol.txt';
MATCH (:Document {workspace: $workspace, key: $document})<-[:PART_OF]-(:TextUnit)-[:HAS_LEAF]->(leaf:Leaf)
WHERE leaf.to IS NULL
OPTIONAL MATCH tree = (leaf)-[:SUMMARIZED_BY*]->(above:Summary) WHERE above.to IS NULL
RETURN leaf, tree LIMIT 300;
