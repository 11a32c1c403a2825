//! The conformance suite of [`graphwright::stores::GraphStore`]: every case runs on every graph store that can be
//! reached, the SQLite file always, Neo4j where `GRAPHWRIGHT_TEST_NEO4J_URI` names a server.

mod fixture;
mod model;
mod documents;
mod evidence;
mod sums;
mod names;
mod ledger;
mod leases;
mod runs;
mod generations;
mod trees;
mod facts;
mod library;
mod vectors;
mod reads;
mod unusual_text;
mod workspaces;
mod random;
mod plans;
mod speed;
