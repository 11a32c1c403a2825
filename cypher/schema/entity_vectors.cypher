CREATE VECTOR INDEX entity_vectors IF NOT EXISTS FOR (n:__Entity__) ON n.embedding OPTIONS $options
