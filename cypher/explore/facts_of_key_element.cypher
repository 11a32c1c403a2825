// The atomic facts that hold a key element, in the order of the text, with the other elements of each.
:param workspace => 'default';
:param element => 'Scrooge';
MATCH (k:KeyElement {workspace: $workspace})<-[:HAS_KEY_ELEMENT]-(f:AtomicFact)<-[:HAS_ATOMIC_FACT]-(c:FactChunk)
WHERE toLower(k.name) = toLower($element)
MATCH (d:Document)-[:HAS_CHUNK]->(c)
RETURN d.key AS document, c.position AS chunk, f.text AS fact, [e IN f.key_elements WHERE e <> k.name] AS others
ORDER BY document, chunk, f.position LIMIT 200;
