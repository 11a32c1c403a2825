CALL tx.setMetaData({graphwright_workspace: $workspace, graphwright_worker: $worker})
