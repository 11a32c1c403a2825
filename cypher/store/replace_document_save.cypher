MATCH (d:Document {id: $id})
SET d = $properties
SET d.indexed_at = datetime()
