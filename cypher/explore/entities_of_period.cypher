// The entities of a period as they are counted: those that most of its documents name first.
:param workspace => 'default';
:param period => '1843-12';
MATCH (p:Period {workspace: $workspace, key: $period})<-[i:IN_PERIOD]-(e:__Entity__)
RETURN e.name AS name, e.type AS type, i.documents AS documents, i.text_units AS text_units, i.mentions AS mentions,
       i.sentiment AS sentiment
ORDER BY documents DESC, text_units DESC, name LIMIT 50;
