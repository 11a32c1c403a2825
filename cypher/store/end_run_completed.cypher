// What the run left; taken away before anything is changed again.
MATCH (g:Graphwright {workspace: $workspace})
SET g.completed_run = $run
