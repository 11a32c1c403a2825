//! Claims (covariates).

use super::{ClaimStatus, Id};
use serde::{Deserialize, Serialize};

/// Something that one text unit says of an entity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// [`super::Ids::claim`].
    pub id: Id,
    /// The text unit that says it.
    pub text_unit: Id,
    /// The entity it is said of.
    pub subject: Id,
    /// The entity it concerns, if any.
    pub object: Option<Id>,
    /// Category.
    pub kind: String,
    /// How certain it is.
    pub status: ClaimStatus,
    /// What is claimed.
    pub description: String,
    /// ISO 8601 or empty.
    pub start_date: String,
    /// ISO 8601 or empty.
    pub end_date: String,
    /// The words of the text that it rests on.
    pub source_text: String,
    /// Who says it, as written; empty where the text itself does.
    #[serde(default)]
    pub holder: String,
}

impl Claim {
    /// What is claimed, with who says it before it where somebody does and the claim does not begin with that: "Amy Hood:
    /// Revenue will grow."
    pub fn statement(&self) -> String {
        if self.description.to_lowercase().starts_with(&self.holder.to_lowercase()) {
            return self.description.clone();
        }
        format!("{}: {}", self.holder, self.description)
    }
    /// When it holds: `2023-07-01 to 2023-09-30`; empty where nothing is said.
    pub fn when(&self) -> String {
        match (self.start_date.as_str(), self.end_date.as_str()) {
            ("", "") => String::new(),
            ("", end) => format!("to {end}"),
            (start, end) if start == end || end.is_empty() => start.to_owned(),
            (start, end) => format!("{start} to {end}"),
        }
    }
}
