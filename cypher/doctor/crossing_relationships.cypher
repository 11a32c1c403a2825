// Relationships of ours between a node of this workspace and one of another, which a statement made that names no workspace.
CALL () {
  MATCH (n:Document) WHERE n.workspace = $workspace AND n.key IS NOT NULL
  MATCH (n)-[r:PART_OF|FIRST_CHUNK|HAS_CHUNK]-(m) WHERE m.workspace <> $workspace
  RETURN elementId(r) AS id
  UNION
  MATCH (n:TextUnit) WHERE n.workspace = $workspace AND n.id IS NOT NULL
  MATCH (n)-[r:PART_OF|FIRST_CHUNK|NEXT_CHUNK|HAS_ENTITY|HAS_CLAIM|HAS_LEAF|IN_CHUNK|CITES|CHANGED_TO]-(m) WHERE m.workspace <> $workspace
  RETURN elementId(r) AS id
  UNION
  MATCH (n:__Entity__) WHERE n.workspace = $workspace AND n.id IS NOT NULL
  MATCH (n)-[r:RELATED|HAS_ENTITY|IN_COMMUNITY|SUBJECT|OBJECT|IN_PERIOD|ABOUT]-(m) WHERE m.workspace <> $workspace
  RETURN elementId(r) AS id
  UNION
  MATCH (n:Community) WHERE n.workspace = $workspace AND n.id IS NOT NULL
  MATCH (n)-[r:PARENT_COMMUNITY|HAS_FINDING|IN_COMMUNITY]-(m) WHERE m.workspace <> $workspace
  RETURN elementId(r) AS id
  UNION
  MATCH (n:Claim) WHERE n.workspace = $workspace AND n.id IS NOT NULL
  MATCH (n)-[r:HAS_CLAIM|SUBJECT|OBJECT]-(m) WHERE m.workspace <> $workspace
  RETURN elementId(r) AS id
  UNION
  MATCH (n:TreeNode) WHERE n.workspace = $workspace AND n.id IS NOT NULL
  MATCH (n)-[r:SUMMARIZED_BY|HAS_LEAF]-(m) WHERE m.workspace <> $workspace
  RETURN elementId(r) AS id
  UNION
  MATCH (n:AtomicFact) WHERE n.workspace = $workspace AND n.id IS NOT NULL
  MATCH (n)-[r:HAS_ATOMIC_FACT|HAS_KEY_ELEMENT]-(m) WHERE m.workspace <> $workspace
  RETURN elementId(r) AS id
  UNION
  MATCH (n:Question) WHERE n.workspace = $workspace AND n.id IS NOT NULL
  MATCH (n)-[r:HAS_ANSWER|VARIANT_OF|FOLLOWED_BY|RELATED_TO|ABOUT]-(m) WHERE m.workspace <> $workspace
  RETURN elementId(r) AS id
}
RETURN id ORDER BY id LIMIT $limit
