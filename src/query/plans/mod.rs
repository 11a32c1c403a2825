//! Questions that a graph answers by rows: which, how many, most, in common, not.
//!
//! ```text
//! patterns, model   question → form (what is asked for, under which conditions)
//! signs             what shows in a question that patterns do not read whole
//! naming            names and nouns of a form → entities, classes
//! compilation       form → plan
//! algebra           plans, typed
//! nearness          whether a name beside a wording belongs to it
//! states            what holds for a time, and what a later document says against it
//! meaning           wordings and types of relationships that are near by their vectors
//! ranking           of all entities of a type those that may be among the first, by stored sums
//! execution         plan → rows with their grounds, through the graph store's interface, within a bound on rows read
//! ```
//!
//! A form comes from closed patterns or from a model that fills in a JSON schema ([`asking`]); nothing that anybody writes becomes a
//! statement of a store.

pub mod algebra;
pub mod budget;
mod nearness;
pub mod wording;
pub mod time;
pub mod amounts;
pub mod rows;
mod states;
mod reading;
mod operators;
mod ranking;
pub mod execution;
pub mod form;
mod nouns;
pub mod meaning;
mod patterns;
pub mod questions;
pub mod signs;
pub mod compilation;
pub mod asking;

pub use algebra::{ColumnType, GroupMeasure, Plan, Side, Succession};
pub use budget::{MOST_ROWS_READ, RowBudget};
pub use execution::Execution;
pub use form::{Ask, Condition, Form, Other, Ranking};
pub use rows::{Cell, PlanRow, RowEvidence};
