// Gives text units back to the document of their key, if it is there; the others are removed.
UNWIND $ids AS id
MATCH (u:TextUnit {id: id}) WHERE coalesce(u.workspace, '') = $workspace
MATCH (d:Document) WHERE d.workspace = $workspace AND d.key = u.document_key AND NOT d:__Entity__
MERGE (u)-[:PART_OF]->(d)
