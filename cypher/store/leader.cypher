SHOW DATABASES YIELD name, address, writer
WHERE name = $database AND writer
RETURN address
