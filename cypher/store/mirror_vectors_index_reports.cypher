CREATE VECTOR INDEX community_vector IF NOT EXISTS FOR (n:__Community__) ON n.embedding OPTIONS $options
