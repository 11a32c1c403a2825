CREATE VECTOR INDEX report_vectors IF NOT EXISTS FOR (n:__Community__) ON n.embedding OPTIONS $options
