UNWIND $ids AS id
MATCH (u:TextUnit {id: id}) WHERE coalesce(u.workspace, '') = $workspace
RETURN u.document_key AS document_key, u.index AS unit_index, u.id AS text_unit, u.period AS period
