MERGE (g:Graphwright {workspace: $workspace})
ON CREATE SET g.id = $id, g.schema_version = $schema_version, g.generation = 0
SET g.settings = $settings
