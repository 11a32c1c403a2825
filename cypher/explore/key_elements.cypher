// Key elements of atomic facts: most facts first, with the number of documents that speak of each.
:param workspace => 'default';
MATCH (k:KeyElement {workspace: $workspace})<-[:HAS_KEY_ELEMENT]-(f:AtomicFact)
RETURN k.name AS element, count(f) AS facts, count(DISTINCT f.document_id) AS documents
ORDER BY facts DESC, element LIMIT 100;
