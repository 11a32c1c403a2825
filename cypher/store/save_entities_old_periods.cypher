UNWIND $rows AS row
MATCH (e:__Entity__ {id: row.id})-[i:IN_PERIOD]->(p:Period) WHERE NOT p.interval IN row.intervals
DELETE i
