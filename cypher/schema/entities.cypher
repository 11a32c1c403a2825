CREATE FULLTEXT INDEX $name IF NOT EXISTS FOR (n:__Entity__) ON EACH [n.name, n.aliases, n.description]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'cjk', `fulltext.eventually_consistent`: true}}
