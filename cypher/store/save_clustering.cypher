UNWIND $rows AS row
CREATE (c:Clustered {workspace: $workspace})
SET c += row
