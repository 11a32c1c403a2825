MATCH (u:TextUnit) WHERE u.workspace = $workspace AND u.period > ''
RETURN u.period AS period, count(DISTINCT u.document_key) AS documents, count(*) AS text_units,
       sum(COUNT { (u)-[:HAS_CLAIM]->(:Claim) }) AS claims
