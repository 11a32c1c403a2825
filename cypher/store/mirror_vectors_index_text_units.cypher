CREATE VECTOR INDEX vector IF NOT EXISTS FOR (n:Chunk) ON n.embedding OPTIONS $options
