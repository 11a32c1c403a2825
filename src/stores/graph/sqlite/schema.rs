//! Tables of the embedded graph. Nodes have integer keys inside the file; their ids are unique texts.

/// Steps from version to version; the first makes everything.
pub(super) const STEPS: &[&str] = &[SCHEMA];

const SCHEMA: &str = "
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE document (
  n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, key TEXT NOT NULL UNIQUE, title TEXT NOT NULL,
  content_hash TEXT NOT NULL, character_count INTEGER NOT NULL, text_unit_count INTEGER NOT NULL,
  metadata TEXT NOT NULL, indexed_at TEXT NOT NULL);
CREATE TABLE unit (
  n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, document INTEGER NOT NULL, place INTEGER NOT NULL,
  text TEXT NOT NULL, token_count INTEGER NOT NULL, start_offset INTEGER NOT NULL, end_offset INTEGER NOT NULL,
  headings TEXT NOT NULL, records TEXT NOT NULL DEFAULT '[]', extraction TEXT, error TEXT,
  linked TEXT NOT NULL DEFAULT '[]', linking_done INTEGER NOT NULL DEFAULT 0,
  vector_pending INTEGER NOT NULL DEFAULT 1, vector_fingerprint TEXT);
CREATE INDEX unit_document ON unit (document, place);
CREATE INDEX unit_extraction ON unit (id) WHERE extraction IS NULL AND error IS NULL;
CREATE INDEX unit_failed ON unit (id) WHERE error IS NOT NULL;
CREATE INDEX unit_linking ON unit (id) WHERE linking_done = 0 AND extraction IS NOT NULL;
CREATE INDEX unit_vector ON unit (id) WHERE vector_pending = 1;
CREATE TABLE entity (
  n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, kind TEXT NOT NULL DEFAULT '',
  description TEXT NOT NULL DEFAULT '', aliases TEXT NOT NULL DEFAULT '[]', degree INTEGER NOT NULL DEFAULT 0,
  text_unit_count INTEGER NOT NULL DEFAULT 0, summed INTEGER NOT NULL DEFAULT 0, dirty INTEGER NOT NULL DEFAULT 1,
  summary_of TEXT, summary TEXT, vector_pending INTEGER NOT NULL DEFAULT 0, vector_fingerprint TEXT);
CREATE INDEX entity_dirty ON entity (id) WHERE dirty = 1;
CREATE INDEX entity_vector ON entity (id) WHERE vector_pending = 1;
CREATE TABLE mention (
  unit INTEGER NOT NULL, entity INTEGER NOT NULL, records INTEGER NOT NULL, said TEXT NOT NULL,
  PRIMARY KEY (unit, entity)) WITHOUT ROWID;
CREATE INDEX mention_entity ON mention (entity, records DESC, unit);
CREATE TABLE relationship (
  n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, low INTEGER NOT NULL, high INTEGER NOT NULL,
  forward INTEGER NOT NULL DEFAULT 1, kind TEXT NOT NULL DEFAULT '', description TEXT NOT NULL DEFAULT '',
  weight INTEGER NOT NULL DEFAULT 0, strength INTEGER NOT NULL DEFAULT 0,
  text_unit_count INTEGER NOT NULL DEFAULT 0, summed INTEGER NOT NULL DEFAULT 0,
  dirty INTEGER NOT NULL DEFAULT 1, summary_of TEXT, summary TEXT);
CREATE INDEX relationship_low ON relationship (low, weight DESC);
CREATE INDEX relationship_high ON relationship (high, weight DESC);
CREATE INDEX relationship_dirty ON relationship (id) WHERE dirty = 1;
CREATE TABLE evidence (
  relationship INTEGER NOT NULL, unit INTEGER NOT NULL, items TEXT NOT NULL,
  PRIMARY KEY (relationship, unit)) WITHOUT ROWID;
CREATE INDEX evidence_unit ON evidence (unit);
CREATE TABLE claim (
  n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, unit INTEGER NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL);
CREATE INDEX claim_unit ON claim (unit);
CREATE INDEX claim_subject ON claim (subject);
CREATE TABLE name_use (
  key TEXT NOT NULL, unit INTEGER NOT NULL, said TEXT NOT NULL, PRIMARY KEY (key, unit)) WITHOUT ROWID;
CREATE INDEX name_use_unit ON name_use (unit);
CREATE TABLE name_link (key TEXT NOT NULL, unit INTEGER NOT NULL, PRIMARY KEY (key, unit)) WITHOUT ROWID;
CREATE INDEX name_link_unit ON name_link (unit);
CREATE TABLE dictionary (key TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE resolution (name TEXT PRIMARY KEY, canonical TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE edit (id TEXT PRIMARY KEY, sequence INTEGER NOT NULL, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE community (
  n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, level INTEGER NOT NULL, leaf INTEGER NOT NULL,
  oversized INTEGER NOT NULL, fingerprint TEXT NOT NULL, report TEXT NOT NULL, composed INTEGER NOT NULL,
  lineage TEXT NOT NULL, period TEXT NOT NULL, members TEXT NOT NULL, from_generation INTEGER NOT NULL,
  to_generation INTEGER NOT NULL, vector_pending INTEGER NOT NULL DEFAULT 1, vector_fingerprint TEXT);
CREATE INDEX community_valid ON community (to_generation, from_generation, level);
CREATE INDEX community_vector ON community (id) WHERE vector_pending = 1;
CREATE TABLE member (entity TEXT NOT NULL, community INTEGER NOT NULL, PRIMARY KEY (entity, community))
  WITHOUT ROWID;
CREATE INDEX member_community ON member (community);
CREATE TABLE parent (
  child INTEGER NOT NULL, from_generation INTEGER NOT NULL, to_generation INTEGER NOT NULL, parent TEXT,
  PRIMARY KEY (child, from_generation)) WITHOUT ROWID;
CREATE TABLE tombstone (kind TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID;
INSERT INTO meta VALUES ('generation', '0');
";

/// Empties every table.
pub(super) const WIPE: &str = "
DELETE FROM meta;
DELETE FROM document;
DELETE FROM unit;
DELETE FROM entity;
DELETE FROM mention;
DELETE FROM relationship;
DELETE FROM evidence;
DELETE FROM claim;
DELETE FROM name_use;
DELETE FROM name_link;
DELETE FROM dictionary;
DELETE FROM resolution;
DELETE FROM edit;
DELETE FROM community;
DELETE FROM member;
DELETE FROM parent;
DELETE FROM tombstone;
INSERT INTO meta VALUES ('generation', '0');
";
