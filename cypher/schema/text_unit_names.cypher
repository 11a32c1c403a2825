CREATE FULLTEXT INDEX $name IF NOT EXISTS FOR (n:TextUnit) ON EACH [n.name_ids]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'keyword', `fulltext.eventually_consistent`: false}}
