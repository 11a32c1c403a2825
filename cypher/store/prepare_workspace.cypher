MERGE (g:Graphwright {workspace: $workspace})
ON CREATE SET g.id = $id, g.schema_version = $schema_version, g.generation = 0, g.settings = '{}'
RETURN g.schema_version AS schema_version
