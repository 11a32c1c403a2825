// The neighbourhood of a key element, as a graph: the elements that share atomic facts with it.
:param workspace => 'default';
:param element => 'Scrooge';
MATCH (k:KeyElement {workspace: $workspace}) WHERE toLower(k.name) = toLower($element)
MATCH shared = (k)<-[:HAS_KEY_ELEMENT]-(:AtomicFact)-[:HAS_KEY_ELEMENT]->(:KeyElement)
RETURN shared LIMIT 100;
