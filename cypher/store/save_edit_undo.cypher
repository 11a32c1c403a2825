MATCH (e:Edit {id: $id}) WHERE e.workspace = $workspace
DELETE e
