// Nodes with their properties as texts, whatever these are: of lists the first few items, of long lists nothing.
UNWIND $elements AS element
MATCH (n) WHERE elementId(n) = element
RETURN element, labels(n) AS labels, [key IN keys(n) | {
  key: key,
  value: left(toStringOrNull(n[key]), CASE WHEN key = $text THEN $longest ELSE $long END),
  items: CASE WHEN n[key] IS :: LIST<ANY> AND size(n[key]) <= $items
    THEN [item IN n[key] | left(toStringOrNull(item), $long)] END
}] AS properties
