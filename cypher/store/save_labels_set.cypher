UNWIND $rows AS row
MATCH (e:__Entity__ {id: row.id})
SET e:$(row.label), e.label = row.label
