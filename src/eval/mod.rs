//! Measuring answers: one harness for every method, through the product's own index and query.
//!
//! ```text
//! dataset   corpus and questions of a file → passages, questions, gold
//! methods   names → what retrieves and what answers
//! run       question × method → row: retrieved passages, answer, scores, costs; kept as it comes
//! scores    exact match, F1, F1*            rater, judge   a model's verdicts
//! summary   rows → means                    each           rows → what was missed, a question
//! compare   two runs, with significance
//! ```

pub(crate) mod question_files;
pub mod dataset;
pub mod methods;
pub mod scores;
pub mod rater;
pub mod judge;
pub mod run;
pub mod summary;
pub mod each;
pub mod compare;
pub mod significance;
pub mod sentiment;
