SHOW TRANSACTIONS YIELD transactionId AS id, metaData, elapsedTime
WHERE metaData.graphwright_workspace = $workspace AND NOT metaData.graphwright_worker IN $live
    AND elapsedTime.milliseconds > $lease_ms
TERMINATE TRANSACTIONS id YIELD message
RETURN message
