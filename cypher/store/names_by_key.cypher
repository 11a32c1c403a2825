UNWIND $ids AS id
MATCH (n:Name {id: id})
RETURN n.key AS key, n.text_unit_count AS text_unit_count, n.names AS names, n.name_counts AS name_counts,
       n.kinds AS kinds, n.kind_counts AS kind_counts
