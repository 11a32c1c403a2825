UNWIND $ids AS wanted
MATCH (q:Question {id: wanted}) WHERE coalesce(q.workspace, '') = $workspace AND q.key IS NOT NULL
OPTIONAL MATCH (q)-[:HAS_ANSWER]->(a:Answer)
RETURN q.id AS id, q.key AS key, q.text AS question, coalesce(a.text, '') AS answer, q.language AS language,
  q.status AS status, q.source AS source, q.author AS author, q.tags AS tags, q.terms AS terms,
  q.metadata AS metadata, q.follow_ups AS follow_ups, q.about AS about, q.related AS related,
  q.weights AS weights, a.valid_from AS valid_from, a.valid_until AS valid_until,
  coalesce(a.citations, '[]') AS citations,
  coalesce(a.stale_document, []) AS stale_document, coalesce(a.stale_was, []) AS stale_was,
  coalesce(a.stale_now, []) AS stale_now, coalesce(a.stale_text_unit, []) AS stale_text_unit,
  COLLECT { MATCH (v:Question)-[r:VARIANT_OF]->(q) WHERE v.key IS NULL RETURN v.text ORDER BY r.order } AS variants
