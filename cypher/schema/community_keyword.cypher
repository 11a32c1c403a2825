CREATE FULLTEXT INDEX $name IF NOT EXISTS FOR (n:__Community__) ON EACH [n.title, n.full_content]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'cjk', `fulltext.eventually_consistent`: true}}
