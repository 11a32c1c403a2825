// Ends the statements of one program that it no longer waits for.
SHOW TRANSACTIONS YIELD transactionId AS id, parameters, currentQuery, elapsedTime
WHERE parameters.worker = $worker AND parameters.workspace = $workspace AND currentQuery = $statement
    AND elapsedTime.milliseconds >= $waited_ms
TERMINATE TRANSACTIONS id YIELD message
RETURN message
