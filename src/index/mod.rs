//! documents → text units → extraction → names → graph → communities → reports → trees → vectors → facts

pub mod settings;
pub mod documents;
pub mod text_units;
pub mod adoption;
pub mod pages;
mod sketch;
pub mod extraction;
pub mod names;
pub mod editing;
pub mod graph;
pub mod communities;
pub mod reports;
pub mod trees;
pub mod facts;
pub mod vectors;
pub mod run;
pub mod estimate;
pub mod passages;
pub mod doctor;
