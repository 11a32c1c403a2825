CREATE VECTOR INDEX entity_vector IF NOT EXISTS FOR (n:__Entity__) ON n.embedding OPTIONS $options
