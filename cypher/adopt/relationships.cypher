// What begins at nodes and ends at nodes that have one of the labels and are not ours, properties as texts.
UNWIND $elements AS element
MATCH (n) WHERE elementId(n) = element
CALL (n) {
  MATCH (n)-[r:$any($types)]->(m:$any($labels))
  WHERE NOT m:__Entity__
  AND NOT (m.workspace IS NOT NULL AND m.id IS NOT NULL AND any(label IN labels(m) WHERE label IN $ours))
  RETURN r, m ORDER BY type(r), elementId(m), elementId(r) LIMIT $most
}
RETURN element, type(r) AS kind, labels(m) AS labels, left(toStringOrNull(m[$name]), $long) AS name,
[key IN keys(r) | {
  key: key,
  value: left(toStringOrNull(r[key]), $long),
  items: CASE WHEN r[key] IS :: LIST<ANY> AND size(r[key]) <= $items
    THEN [item IN r[key] | left(toStringOrNull(item), $long)] END
}] AS properties
