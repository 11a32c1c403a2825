CREATE FULLTEXT INDEX $name IF NOT EXISTS FOR (n:Chunk) ON EACH [n.text]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'cjk', `fulltext.eventually_consistent`: true}}
