CREATE TEXT INDEX $name IF NOT EXISTS FOR (n:__Entity__) ON (n.name)
