//! Plans: a small algebra over what the graph stores, with the type of every column.
//!
//! A plan gives rows. A row has a cell for each column, and the records that it rests on. Every operator below is a
//! function of its input's rows; none takes text that would become a statement of a store.

use super::time::DaySpan;
use crate::domain::Id;
use serde::Serialize;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnType {
    /// Entities.
    Entity,
    /// Documents.
    Document,
    /// Claims.
    Claim,
    /// Communities of the current generation.
    Community,
    /// Numbers, in thousandths.
    Number,
    /// Texts: years, the types of a step of a path.
    Text,
}

/// Which end of a relationship the new column is; the input's entity is the other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Who does it.
    Subject,
    /// Whom it is done to.
    Object,
    /// Either.
    Either,
}

impl Side {
    /// The other end.
    #[must_use]
    pub fn turned(self) -> Self {
        match self {
            Self::Subject => Self::Object,
            Self::Object => Self::Subject,
            Self::Either => Self::Either,
        }
    }
}

/// What of several things that held one after another is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "when", content = "entity")]
pub enum Succession {
    /// What no later document contradicts.
    Now,
    /// What a later document contradicts, and what records call former.
    Earlier,
    /// What held before the row of an entity.
    Before(Id),
    /// What held after it.
    After(Id),
}

/// What a group is measured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "of", content = "column")]
pub enum GroupMeasure {
    /// The number of different cells of a column.
    Different(usize),
    /// The sum of a column of numbers.
    Sum(usize),
    /// The number of records that the rows rest on.
    Grounds,
}

/// A plan. Columns are counted from 0; an operator that adds one adds it behind the input's.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "operator", rename_all = "snake_case")]
pub enum Plan {
    /// These entities: `[entity]`.
    Named {
        /// Their ids.
        entities: Vec<Id>,
    },
    /// All entities of these classes ([`crate::domain::kind_class`]), all where none is given: `[entity]`.
    Entities {
        /// The classes.
        classes: Vec<String>,
    },
    /// All documents: `[document]`.
    Documents,
    /// All communities of the current generation: `[community]`.
    Communities,
    /// Joins along relationships: adds the entities at their other end.
    Related {
        /// The rows to go on from.
        input: Box<Self>,
        /// The column of entities.
        column: usize,
        /// What the records say of the two, in the question's words; any relationship where empty.
        wording: String,
        /// Which end is added.
        side: Side,
        /// When it was said.
        during: DaySpan,
    },
    /// Adds the documents that mention an entity.
    MentionedIn {
        /// The rows to go on from.
        input: Box<Self>,
        /// The column of entities.
        column: usize,
        /// When the documents were written.
        during: DaySpan,
    },
    /// Adds the entities that a document mentions.
    Mentioning {
        /// The rows to go on from.
        input: Box<Self>,
        /// The column of documents.
        column: usize,
    },
    /// Adds the claims about an entity.
    ClaimsOf {
        /// The rows to go on from.
        input: Box<Self>,
        /// The column of entities.
        column: usize,
        /// What the claims say, in the question's words; any where empty.
        wording: String,
        /// When it holds.
        during: DaySpan,
    },
    /// Adds the amount that a claim speaks of, in thousandths; claims without one go.
    AmountsOf {
        /// The rows to go on from.
        input: Box<Self>,
        /// The column of claims.
        column: usize,
    },
    /// Adds the communities of an entity.
    CommunitiesOf {
        /// The rows to go on from.
        input: Box<Self>,
        /// The column of entities.
        column: usize,
    },
    /// Adds the members of a community.
    MembersOf {
        /// The rows to go on from.
        input: Box<Self>,
        /// The column of communities.
        column: usize,
    },
    /// Adds the day, or the year, that a document was written in; documents without a date go. Where days are asked for
    /// and none has a date, the documents' keys stand for them.
    DatesOf {
        /// The rows to go on from.
        input: Box<Self>,
        /// The column of documents.
        column: usize,
        /// Whether only the year.
        years: bool,
    },
    /// Keeps rows whose entity is of these classes.
    OfType {
        /// The rows to choose from.
        input: Box<Self>,
        /// The column of entities.
        column: usize,
        /// The classes; any where empty.
        classes: Vec<String>,
    },
    /// Keeps rows whose entity's type or description holds a noun that is no class; the others become unsure. Where the noun
    /// is all that is asked for and nothing is said to be that, what has no type may be it as well as any.
    Described {
        /// The rows to choose from.
        input: Box<Self>,
        /// The column of entities.
        column: usize,
        /// The noun.
        noun: String,
        /// Whether the noun is all that is asked for, and not a word before a class.
        whole: bool,
    },
    /// Keeps rows by what later documents say of them; for [`Succession::Now`] those that are superseded become unsure.
    Held {
        /// The rows to choose from.
        input: Box<Self>,
        /// The column of entities or claims.
        column: usize,
        /// What is wanted.
        held: Succession,
    },
    /// Keeps of what rows rest on the records that name one of these too; rows that none of their records does so for become
    /// unsure.
    Naming {
        /// The rows to choose from.
        input: Box<Self>,
        /// The entities.
        entities: Vec<Id>,
    },
    /// Keeps the rows whose records speak of the earliest days, or the latest; those whose days lie across them stay as
    /// well, and those whose records speak of no day become unsure and come behind.
    Utmost {
        /// The rows to choose from.
        input: Box<Self>,
        /// Whether the latest.
        last: bool,
    },
    /// Keeps rows of `left` whose cell is in `right` too, with what both rest on.
    Intersect {
        /// The rows to choose from.
        left: Box<Self>,
        /// What they are to be among.
        right: Box<Self>,
        /// The columns that are compared.
        on: (usize, usize),
    },
    /// Keeps rows of `left` whose cell is not in `right`.
    Except {
        /// The rows to choose from.
        left: Box<Self>,
        /// What they must not be among.
        right: Box<Self>,
        /// The columns that are compared.
        on: (usize, usize),
    },
    /// Rows of either, each once.
    Union {
        /// Rows.
        left: Box<Self>,
        /// Rows of the same columns.
        right: Box<Self>,
    },
    /// These columns in this order; equal rows become one that rests on what all rest on.
    Columns {
        /// The rows.
        input: Box<Self>,
        /// The columns that are kept.
        columns: Vec<usize>,
    },
    /// One row for each cell of a column: `[cell, number]`.
    Group {
        /// The rows.
        input: Box<Self>,
        /// The column.
        by: usize,
        /// What is counted.
        measure: GroupMeasure,
    },
    /// Sorts by a column, equal ones by their cells.
    Order {
        /// The rows.
        input: Box<Self>,
        /// The column.
        column: usize,
        /// Whether the greatest come first.
        descending: bool,
    },
    /// The first rows, and those after them whose last cell equals that of the last one kept. Unsure rows come behind.
    Top {
        /// The rows.
        input: Box<Self>,
        /// How many.
        count: usize,
    },
    /// Keeps rows whose number lies between two, both included.
    Bounded {
        /// The rows.
        input: Box<Self>,
        /// The column of numbers.
        column: usize,
        /// The least, a whole number.
        least: u64,
        /// The greatest; open where absent.
        most: Option<u64>,
    },
    /// The number of sure rows: `[number]`.
    Count {
        /// The rows.
        input: Box<Self>,
    },
    /// The shortest path between two entities, one row a step: `[entity, text, entity]`.
    Path {
        /// Where it begins.
        from: Id,
        /// Where it ends.
        to: Id,
        /// Most steps, up to [`LONGEST_PATH`].
        longest: usize,
    },
}

/// Most steps of a path.
pub const LONGEST_PATH: usize = 5;

/// A plan whose columns do not fit together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct IllTyped(String);

impl Plan {
    /// Whether its rows are chosen by the days that their records speak of.
    pub fn is_of_days(&self) -> bool {
        matches!(self, Self::Utmost { .. })
    }

    /// Whether no row depends on when something was said or in which document: what sums of relationships say of single
    /// records is then enough to choose rows by.
    pub fn is_timeless(&self) -> bool {
        match self {
            Self::Named { .. } | Self::Entities { .. } => true,
            Self::Related { input, during, .. } => *during == DaySpan::default() && input.is_timeless(),
            Self::OfType { input, .. }
            | Self::Described { input, .. }
            | Self::Columns { input, .. }
            | Self::Group { input, .. }
            | Self::Order { input, .. }
            | Self::Bounded { input, .. }
            | Self::Top { input, .. }
            | Self::Count { input } => input.is_timeless(),
            Self::Intersect { left, right, .. }
            | Self::Except { left, right, .. }
            | Self::Union { left, right } => left.is_timeless() && right.is_timeless(),
            _ => false,
        }
    }

    /// The types of the columns of the plan's rows.
    ///
    /// # Errors
    /// An operator that is given a column which is not there, or of another type than it works on.
    pub fn columns(&self) -> Result<Vec<ColumnType>, IllTyped> {
        match self {
            Self::Named { .. } | Self::Entities { .. } => Ok(vec![ColumnType::Entity]),
            Self::Documents => Ok(vec![ColumnType::Document]),
            Self::Communities => Ok(vec![ColumnType::Community]),
            Self::Related { input, column, .. } => {
                joined(input, *column, ColumnType::Entity, ColumnType::Entity)
            }
            Self::MentionedIn { input, column, .. } => {
                joined(input, *column, ColumnType::Entity, ColumnType::Document)
            }
            Self::Mentioning { input, column } => {
                joined(input, *column, ColumnType::Document, ColumnType::Entity)
            }
            Self::ClaimsOf { input, column, .. } => {
                joined(input, *column, ColumnType::Entity, ColumnType::Claim)
            }
            Self::AmountsOf { input, column } => {
                joined(input, *column, ColumnType::Claim, ColumnType::Number)
            }
            Self::CommunitiesOf { input, column } => {
                joined(input, *column, ColumnType::Entity, ColumnType::Community)
            }
            Self::MembersOf { input, column } => {
                joined(input, *column, ColumnType::Community, ColumnType::Entity)
            }
            Self::DatesOf { input, column, .. } => {
                joined(input, *column, ColumnType::Document, ColumnType::Text)
            }
            Self::OfType { input, column, .. }
            | Self::Described { input, column, .. }
            | Self::Held { input, column, .. } => {
                let columns = input.columns()?;
                let wanted = if matches!(self, Self::Held { .. }) { None } else { Some(ColumnType::Entity) };
                of(&columns, *column, wanted)?;
                Ok(columns)
            }
            Self::Intersect { left, right, on } | Self::Except { left, right, on } => {
                let (left, right) = (left.columns()?, right.columns()?);
                let one = of(&left, on.0, None)?;
                of(&right, on.1, Some(one))?;
                Ok(left)
            }
            Self::Union { left, right } => {
                let (left, right) = (left.columns()?, right.columns()?);
                if left != right {
                    return Err(IllTyped(format!(
                        "rows of {left:?} cannot be put together with rows of {right:?}"
                    )));
                }
                Ok(left)
            }
            Self::Columns { input, columns } => {
                let known = input.columns()?;
                columns.iter().map(|column| of(&known, *column, None)).collect()
            }
            Self::Group { input, by, measure } => {
                let columns = input.columns()?;
                match measure {
                    GroupMeasure::Different(column) => of(&columns, *column, None)?,
                    GroupMeasure::Sum(column) => of(&columns, *column, Some(ColumnType::Number))?,
                    GroupMeasure::Grounds => ColumnType::Number,
                };
                Ok(vec![of(&columns, *by, None)?, ColumnType::Number])
            }
            Self::Order { input, column, .. } => {
                let columns = input.columns()?;
                of(&columns, *column, None)?;
                Ok(columns)
            }
            Self::Bounded { input, column, .. } => {
                let columns = input.columns()?;
                of(&columns, *column, Some(ColumnType::Number))?;
                Ok(columns)
            }
            Self::Top { input, .. } | Self::Naming { input, .. } | Self::Utmost { input, .. } => {
                input.columns()
            }
            Self::Count { input } => input.columns().map(|_| vec![ColumnType::Number]),
            Self::Path { .. } => Ok(vec![ColumnType::Entity, ColumnType::Text, ColumnType::Entity]),
        }
    }
}

/// The columns of an input with one more behind them.
fn joined(
    input: &Plan,
    column: usize,
    from: ColumnType,
    to: ColumnType,
) -> Result<Vec<ColumnType>, IllTyped> {
    let mut columns = input.columns()?;
    of(&columns, column, Some(from))?;
    columns.push(to);
    Ok(columns)
}

/// The type of a column, which has to be `wanted` where that is given.
fn of(columns: &[ColumnType], column: usize, wanted: Option<ColumnType>) -> Result<ColumnType, IllTyped> {
    let Some(sort) = columns.get(column) else {
        return Err(IllTyped(format!("there is no column {column} among {columns:?}")));
    };
    if wanted.is_some_and(|wanted| wanted != *sort) {
        return Err(IllTyped(format!("column {column} of {columns:?} is to be {wanted:?}")));
    }
    Ok(*sort)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Plan {
        Plan::Entities { classes: Vec::new() }
    }

    #[test]
    fn columns_follow_from_the_operators() {
        let related = Plan::Related {
            input: Box::new(all()),
            column: 0,
            wording: String::new(),
            side: Side::Either,
            during: DaySpan::default(),
        };
        assert_eq!(related.columns(), Ok(vec![ColumnType::Entity, ColumnType::Entity]));
        let grouped = Plan::Group { input: Box::new(related), by: 1, measure: GroupMeasure::Different(0) };
        assert_eq!(grouped.columns(), Ok(vec![ColumnType::Entity, ColumnType::Number]));
    }

    #[test]
    fn a_column_of_another_type_is_refused_by_name() {
        let wrong = Plan::MembersOf { input: Box::new(all()), column: 0 };
        assert_eq!(wrong.columns().unwrap_err().to_string(), "column 0 of [Entity] is to be Some(Community)");
        let missing = Plan::Columns { input: Box::new(all()), columns: vec![0, 3] };
        assert_eq!(missing.columns().unwrap_err().to_string(), "there is no column 3 among [Entity]");
    }
}
