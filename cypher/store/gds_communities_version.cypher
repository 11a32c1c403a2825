SHOW PROCEDURES YIELD name WHERE name = 'gds.leiden.stream'
RETURN name
