CREATE VECTOR INDEX text_unit_vectors IF NOT EXISTS FOR (n:Chunk) ON n.embedding OPTIONS $options
