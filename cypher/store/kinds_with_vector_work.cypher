// Whether there are vectors to be made, by kind, and the kinds of those that are to be forgotten.
RETURN
  EXISTS { MATCH (u:TextUnit) WHERE u.workspace = $workspace AND u.vector_pending > '' } AS text_units,
  EXISTS { MATCH (e:__Entity__) WHERE e.workspace = $workspace AND e.vector_pending > '' } AS entities,
  EXISTS { MATCH (c:Community) WHERE c.workspace = $workspace AND c.vector_pending > '' } AS reports,
  EXISTS { MATCH (n:TreeNode) WHERE n.workspace = $workspace AND n.vector_pending > '' } AS summaries,
  EXISTS { MATCH (q:Question) WHERE q.workspace = $workspace AND q.vector_pending > '' }
  OR EXISTS { MATCH (a:Answer) WHERE a.workspace = $workspace AND a.vector_pending > '' } AS questions,
  COLLECT { MATCH (t:VectorTombstone) WHERE t.workspace = $workspace AND t.kind IS NOT NULL AND NOT t:__Entity__ RETURN DISTINCT t.kind } AS removed
