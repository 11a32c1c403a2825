UNWIND $rows AS row
MATCH (e:__Entity__ {id: row.id})
REMOVE e:$(row.old_label)
