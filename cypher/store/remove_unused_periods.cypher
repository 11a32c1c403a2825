MATCH (p:Period) WHERE p.workspace = $workspace AND p.interval > '' AND NOT (p)<-[:IN_PERIOD]-()
DELETE p
