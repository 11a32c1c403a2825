-- Where in its file a text unit stands: what is counted, the lowest and the highest number, and names as a JSON array.
ALTER TABLE vec_point ADD COLUMN place_kind TEXT;
ALTER TABLE vec_point ADD COLUMN place_first INTEGER;
ALTER TABLE vec_point ADD COLUMN place_last INTEGER;
ALTER TABLE vec_point ADD COLUMN place_labels TEXT;
