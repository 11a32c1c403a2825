UNWIND $ids AS id
MATCH (d:Document {id: id}) WHERE d.workspace = $workspace
DETACH DELETE d
