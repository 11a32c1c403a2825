//! The library of questions and answers: standard answers that people keep, found without a model, tied to the text
//! that they rest on.

pub mod matching;
pub mod tables;
pub mod keeping;
pub mod evidence;
pub mod senses;
mod stored;
pub mod memory;
pub mod judging;
pub mod asking;
pub mod care;
pub mod misses;
pub mod doubts;
pub mod drafting;
pub mod testing;
