CALL db.labels() YIELD label RETURN label ORDER BY label LIMIT 50
