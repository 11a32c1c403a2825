UNWIND $ids AS id
MATCH (a:Alias {id: id}) WHERE coalesce(a.workspace, '') = $workspace
RETURN a.key AS key, a.canonical AS canonical
