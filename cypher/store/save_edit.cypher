MERGE (e:Edit {id: $id, workspace: $workspace})
SET e.sequence = $sequence, e.edit = $edit
