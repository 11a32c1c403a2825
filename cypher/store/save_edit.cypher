MERGE (e:Edit {id: $id})
SET e.workspace = $workspace, e.sequence = $sequence, e.edit = $edit
