// What the graph has in a Neo4j database beside its nodes: constraints first, since without them two writers make two
// nodes of one id, then the indexes that statements look things up in. `prepare` makes what is missing, and so may you:
// cypher-shell --file cypher/schema.cypher

// The resolution table: one entry a name.
CREATE CONSTRAINT alias_id IF NOT EXISTS FOR (n:Alias) REQUIRE n.id IS UNIQUE;

// One mark a name that has changed since the last linking.
CREATE CONSTRAINT changed_name_id IF NOT EXISTS FOR (n:ChangedName) REQUIRE n.id IS UNIQUE;

// One claim an id.
CREATE CONSTRAINT claim_id IF NOT EXISTS FOR (n:Claim) REQUIRE n.id IS UNIQUE;

// One community an id.
CREATE CONSTRAINT community_id IF NOT EXISTS FOR (n:Community) REQUIRE n.id IS UNIQUE;

// The dictionary of linking: one entry a name.
CREATE CONSTRAINT dictionary_id IF NOT EXISTS FOR (n:DictionaryName) REQUIRE n.id IS UNIQUE;

// One document an id.
CREATE CONSTRAINT document_id IF NOT EXISTS FOR (n:Document) REQUIRE n.id IS UNIQUE;

// One edit an id.
CREATE CONSTRAINT edit_id IF NOT EXISTS FOR (n:Edit) REQUIRE n.id IS UNIQUE;

// One entity an id.
CREATE CONSTRAINT entity_id IF NOT EXISTS FOR (n:__Entity__) REQUIRE n.id IS UNIQUE;

// One finding of a report an id.
CREATE CONSTRAINT finding_id IF NOT EXISTS FOR (n:Finding) REQUIRE n.id IS UNIQUE;

// The history of communities: one step a line and generation.
CREATE CONSTRAINT lineage_step_id IF NOT EXISTS FOR (n:LineageStep) REQUIRE n.id IS UNIQUE;

// One node of its own a workspace.
CREATE CONSTRAINT graphwright_workspace IF NOT EXISTS FOR (n:Graphwright) REQUIRE n.workspace IS UNIQUE;

// One sum of calls a task and model.
CREATE CONSTRAINT ledger_id IF NOT EXISTS FOR (n:Ledger) REQUIRE n.id IS UNIQUE;

// One lock an id: the writer's place, and the turn of those who lease.
CREATE CONSTRAINT lock_id IF NOT EXISTS FOR (n:Lock) REQUIRE n.id IS UNIQUE;

// One node a name that text units write.
CREATE CONSTRAINT name_id IF NOT EXISTS FOR (n:Name) REQUIRE n.id IS UNIQUE;

// One period of days an id.
CREATE CONSTRAINT period_id IF NOT EXISTS FOR (n:Period) REQUIRE n.id IS UNIQUE;

// One relationship a pair of entities.
CREATE CONSTRAINT related_id IF NOT EXISTS FOR ()-[r:RELATED]-() REQUIRE r.id IS UNIQUE;

// One text unit an id.
CREATE CONSTRAINT text_unit_id IF NOT EXISTS FOR (n:TextUnit) REQUIRE n.id IS UNIQUE;

// One chunk of atomic facts an id.
CREATE CONSTRAINT fact_chunk_id IF NOT EXISTS FOR (n:FactChunk) REQUIRE n.id IS UNIQUE;

// One atomic fact an id.
CREATE CONSTRAINT atomic_fact_id IF NOT EXISTS FOR (n:AtomicFact) REQUIRE n.id IS UNIQUE;

// One key element an id.
CREATE CONSTRAINT key_element_id IF NOT EXISTS FOR (n:KeyElement) REQUIRE n.id IS UNIQUE;

// One node of a summary tree an id.
CREATE CONSTRAINT tree_node_id IF NOT EXISTS FOR (n:TreeNode) REQUIRE n.id IS UNIQUE;

// One node that is gone and whose vectors may not be.
CREATE CONSTRAINT vector_tombstone_id IF NOT EXISTS FOR (n:VectorTombstone) REQUIRE n.id IS UNIQUE;

// One verdict a pair of names.
CREATE CONSTRAINT verdict_id IF NOT EXISTS FOR (n:Verdict) REQUIRE n.id IS UNIQUE;

// One process that writes.
CREATE CONSTRAINT worker_id IF NOT EXISTS FOR (n:Worker) REQUIRE n.id IS UNIQUE;

// One question of the library an id, variants included.
CREATE CONSTRAINT question_id IF NOT EXISTS FOR (n:Question) REQUIRE n.id IS UNIQUE;

// One answer of the library an id.
CREATE CONSTRAINT answer_id IF NOT EXISTS FOR (n:Answer) REQUIRE n.id IS UNIQUE;

// One change of the library an id.
CREATE CONSTRAINT question_change_id IF NOT EXISTS FOR (n:QuestionChange) REQUIRE n.id IS UNIQUE;

// One question that nothing answered an id.
CREATE CONSTRAINT asked_question_id IF NOT EXISTS FOR (n:AskedQuestion) REQUIRE n.id IS UNIQUE;

// Pages of the resolution table.
CREATE INDEX alias_page IF NOT EXISTS FOR (n:Alias) ON (n.workspace, n.id);

// Names that have changed since the last linking.
CREATE INDEX changed_name_page IF NOT EXISTS FOR (n:ChangedName) ON (n.workspace, n.id);

// Pages of claims.
CREATE INDEX claim_page IF NOT EXISTS FOR (n:Claim) ON (n.workspace, n.id);

// Communities by the generation that they begin in.
CREATE INDEX community_from IF NOT EXISTS FOR (n:Community) ON (n.workspace, n.from);

// Full text of reports.
CREATE FULLTEXT INDEX community_keyword IF NOT EXISTS FOR (n:__Community__) ON EACH [n.title, n.full_content]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'cjk', `fulltext.eventually_consistent`: true}};

// Reports that wait for their vectors, in order.
CREATE INDEX community_vector_pending IF NOT EXISTS FOR (n:Community) ON (n.workspace, n.vector_pending);

// Pages of the dictionary.
CREATE INDEX dictionary_page IF NOT EXISTS FOR (n:DictionaryName) ON (n.workspace, n.id);

// Names of the dictionary by what they begin with.
CREATE INDEX dictionary_key IF NOT EXISTS FOR (n:DictionaryName) ON (n.workspace, n.key);

// Documents in the order of their keys.
CREATE INDEX document_key IF NOT EXISTS FOR (n:Document) ON (n.workspace, n.key);

// Edits in the order that they were made in.
CREATE INDEX edit_sequence IF NOT EXISTS FOR (n:Edit) ON (n.workspace, n.sequence);

// Full text of entities.
CREATE FULLTEXT INDEX entities IF NOT EXISTS FOR (n:__Entity__) ON EACH [n.name, n.aliases, n.description]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'cjk', `fulltext.eventually_consistent`: true}};

// Entities of a type by their degree and by the text units that mention them, the greatest found first.
CREATE INDEX entity_degree IF NOT EXISTS FOR (n:__Entity__) ON (n.workspace, n.type, n.degree, n.id);
CREATE INDEX entity_text_units IF NOT EXISTS FOR (n:__Entity__) ON (n.workspace, n.type, n.text_unit_count, n.id);

// Entities of a type, in pages.
CREATE INDEX entity_kind IF NOT EXISTS FOR (n:__Entity__) ON (n.workspace, n.type, n.id);

// Entities that wait for their sum, in order.
CREATE INDEX entity_dirty IF NOT EXISTS FOR (n:__Entity__) ON (n.workspace, n.dirty);

// Entities made by hand.
CREATE INDEX entity_manual IF NOT EXISTS FOR (n:__Entity__) ON (n.manual);

// Entities of which something has changed since the reports were written.
CREATE INDEX entity_unreported IF NOT EXISTS FOR (n:__Entity__) ON (n.workspace, n.unreported);

// Pages of entities.
CREATE INDEX entity_page IF NOT EXISTS FOR (n:__Entity__) ON (n.workspace, n.id);

// Entities that wait for their vectors, in order.
CREATE INDEX entity_vector_pending IF NOT EXISTS FOR (n:__Entity__) ON (n.workspace, n.vector_pending);

// Full text of text units, for other clients.
CREATE FULLTEXT INDEX keyword IF NOT EXISTS FOR (n:Chunk) ON EACH [n.text]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'cjk', `fulltext.eventually_consistent`: true}};

// Pages of names.
CREATE INDEX name_page IF NOT EXISTS FOR (n:Name) ON (n.workspace, n.page);

// Periods in the order of time.
CREATE INDEX period_page IF NOT EXISTS FOR (n:Period) ON (n.workspace, n.interval);

// Relationships that wait for their sum, in order.
CREATE INDEX related_dirty IF NOT EXISTS FOR ()-[r:RELATED]-() ON (r.workspace, r.dirty);

// Relationships made by hand.
CREATE INDEX related_manual IF NOT EXISTS FOR ()-[r:RELATED]-() ON (r.manual);

// Pages of relationships.
CREATE INDEX related_page IF NOT EXISTS FOR ()-[r:RELATED]-() ON (r.workspace, r.id);

// Text units by the names in them, read as soon as they are written.
CREATE FULLTEXT INDEX text_unit_names IF NOT EXISTS FOR (n:TextUnit) ON EACH [n.name_ids]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'keyword', `fulltext.eventually_consistent`: false}};

// Text units by their words, read as soon as they are kept.
CREATE FULLTEXT INDEX text_unit_words IF NOT EXISTS FOR (n:TextUnit) ON EACH [n.words]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false}};

// Pages of text units.
CREATE INDEX text_unit_page IF NOT EXISTS FOR (n:TextUnit) ON (n.workspace, n.id);

// Text units by the days that they are of.
CREATE INDEX text_unit_period IF NOT EXISTS FOR (n:TextUnit) ON (n.workspace, n.period);

// Text units that wait to be read, in order.
CREATE INDEX text_unit_todo_extraction IF NOT EXISTS FOR (n:TextUnit) ON (n.workspace, n.todo_extraction);

// Text units that wait for linking, in order.
CREATE INDEX text_unit_todo_linking IF NOT EXISTS FOR (n:TextUnit) ON (n.workspace, n.todo_linking);

// Text units of which the words are still to be kept, in order.
CREATE INDEX text_unit_todo_words IF NOT EXISTS FOR (n:TextUnit) ON (n.workspace, n.todo_words);

// Text units that wait for their vectors, in order.
CREATE INDEX text_unit_vector_pending IF NOT EXISTS FOR (n:TextUnit) ON (n.workspace, n.vector_pending);

// A document's chunks of atomic facts.
CREATE INDEX fact_chunk_document IF NOT EXISTS FOR (n:FactChunk) ON (n.workspace, n.document_id);

// A document's atomic facts.
CREATE INDEX atomic_fact_document IF NOT EXISTS FOR (n:AtomicFact) ON (n.workspace, n.document_id);

// Key elements by their key.
CREATE INDEX key_element_key IF NOT EXISTS FOR (n:KeyElement) ON (n.workspace, n.key);

// A document's summary tree.
CREATE INDEX tree_node_document IF NOT EXISTS FOR (n:TreeNode) ON (n.workspace, n.document_id);

// Pages of nodes of summary trees.
CREATE INDEX tree_node_page IF NOT EXISTS FOR (n:TreeNode) ON (n.workspace, n.id);

// The roots of summary trees.
CREATE INDEX tree_node_stamp IF NOT EXISTS FOR (n:TreeNode) ON (n.workspace, n.stamp);

// Nodes of summary trees that wait for their vectors, in order.
CREATE INDEX tree_node_vector_pending IF NOT EXISTS FOR (n:TreeNode) ON (n.workspace, n.vector_pending);

// Questions and answers of the library whose vectors are pending.
CREATE INDEX question_vector_pending IF NOT EXISTS FOR (n:Question) ON (n.workspace, n.vector_pending);
CREATE INDEX answer_vector_pending IF NOT EXISTS FOR (n:Answer) ON (n.workspace, n.vector_pending);

// Pages of answers of the library.
CREATE INDEX answer_page IF NOT EXISTS FOR (n:Answer) ON (n.workspace, n.id);

// Tombstones of a kind of node.
CREATE INDEX vector_tombstone_kind IF NOT EXISTS FOR (n:VectorTombstone) ON (n.workspace, n.kind);

// Pages of verdicts.
CREATE INDEX verdict_page IF NOT EXISTS FOR (n:Verdict) ON (n.workspace, n.id);

// Pages of questions of the library.
CREATE INDEX question_page IF NOT EXISTS FOR (n:Question) ON (n.workspace, n.id);

// Changes of the library in the order that they were made in.
CREATE INDEX question_change_sequence IF NOT EXISTS FOR (n:QuestionChange) ON (n.workspace, n.sequence);
