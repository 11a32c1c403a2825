// Takes the evidence of relationships away; they are dirty until it is made anew from the text units' records.
UNWIND $ids AS id
MATCH ()-[r:RELATED {id: id}]->() WHERE r.workspace = $workspace
SET r.text_unit_ids = [], r.types = [], r.descriptions = [], r.strengths = [], r.forwards = [], r.dirty = id
