MATCH (g:Graphwright {workspace: $workspace})
SET g.schema_version = $schema_version
