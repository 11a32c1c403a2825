UNWIND $ids AS id
MATCH (u:TextUnit {id: id}) WHERE coalesce(u.workspace, '') = $workspace
MATCH (u)-[:PART_OF]->(d:Document) WHERE coalesce(d.workspace, '') = $workspace
RETURN u.id AS id, d.id AS document_id, d.key AS document_key, d.title AS document_title, u.index AS index,
       u.text AS text, u.token_count AS token_count, u.start_offset AS start_offset, u.end_offset AS end_offset,
       u.headings AS headings, u.locators AS locators, u.sections AS sections, u.header AS header, u.period AS period,
       CASE WHEN d.date_from IS NULL THEN null
            ELSE [d.date_from, d.date_to, d.date_granularity, d.date_written] END AS document_date
