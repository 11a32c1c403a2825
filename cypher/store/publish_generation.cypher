MERGE (g:Graphwright {workspace: $workspace})
ON CREATE SET g.id = $id, g.schema_version = $schema_version, g.settings = '{}'
SET g.generation = $generation
