UNWIND $rows AS row
MATCH (e:__Entity__ {id: row.id})
UNWIND row.periods AS counted
MATCH (p:Period {id: counted.period})
MERGE (e)-[i:IN_PERIOD]->(p)
SET i = counted.properties
