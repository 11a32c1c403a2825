//! What the tools take and give, as their schemas say it. The words are for agents: each stands in every conversation.

use crate::serve::problem::{Outcome, Problem};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The arguments of a call, or what is wrong with them.
pub(super) fn read<T: DeserializeOwned>(arguments: Map<String, Value>) -> Outcome<T> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| Problem::invalid(format!("the arguments: {error}")))
}

macro_rules! defaults {
    ($($name:ident: $kind:ty = $value:expr;)*) => {
        $(fn $name() -> $kind { $value })*
    };
}

defaults! {
    auto: String = "auto".to_owned();
    ten: u32 = 10;
    twenty: u32 = 20;
    thirty: u32 = 30;
    fifty: u32 = 50;
    one: u32 = 1;
    four: u32 = 4;
    patience: u32 = 30;
    answer_tokens: u32 = 2_000;
    text_tokens: u32 = 4_000;
    most_parts: Vec<EntityPart> = vec![EntityPart::Description, EntityPart::Relationships, EntityPart::Sentences];
}

/// Names of methods.
const METHODS: [&str; 9] =
    ["auto", "local", "global", "basic", "drift", "raptor", "reader", "source", "table"];
/// Lengths of periods.
const PERIODS: [&str; 7] = ["", "day", "week", "month", "quarter", "year", "chapter"];

#[derive(Deserialize, JsonSchema)]
pub(super) struct Query {
    /// What to look for: a question, names, or words
    #[schemars(length(min = 1))]
    pub(super) query: String,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct FetchQuery {
    /// `unit:…`, `entity:…`, `document:…`, `community:…`, `answer:…`
    #[schemars(length(min = 1))]
    pub(super) id: String,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct QuestionQuery {
    /// In any language
    #[schemars(length(min = 1))]
    pub(super) question: String,
    /// local: particular things; global: the whole; table: rows of the graph
    #[serde(default = "auto")]
    #[schemars(extend("enum" = METHODS))]
    pub(super) method: String,
    /// `path=docs/*.txt`, `page=10-20`, `date>=1843`
    #[serde(default)]
    pub(super) filters: Vec<String>,
    /// Nothing written after: 2023-06, FY16Q4
    #[serde(default)]
    pub(super) as_of: String,
    /// Every method, best proof; slow
    #[serde(default)]
    pub(super) thorough: bool,
    #[serde(default = "answer_tokens")]
    #[schemars(range(min = 200, max = 20_000))]
    pub(super) max_tokens: u32,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct TableQuery {
    /// Which, how many, list, most, in common, but not, since 2016; 哪些, 多少, 最多. Names as the graph has them
    #[schemars(length(min = 1))]
    pub(super) question: String,
    /// Nothing written after: 2023-06, FY16Q4
    #[serde(default)]
    pub(super) as_of: String,
    #[serde(default = "fifty")]
    #[schemars(range(min = 1, max = 200))]
    pub(super) limit: u32,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct TimeWanted {
    /// 2016, FY24Q1
    #[serde(default)]
    pub(super) from: String,
    #[serde(default)]
    pub(super) to: String,
    #[serde(default)]
    #[schemars(extend("enum" = PERIODS))]
    pub(super) every: String,
    /// An entity or community
    #[serde(default)]
    pub(super) about: String,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct EntityQuery {
    /// A part of a name; empty: all
    #[serde(default)]
    pub(super) query: String,
    /// Only of this type, such as Person
    #[serde(default, rename = "type")]
    pub(super) kind: String,
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 100))]
    pub(super) limit: u32,
    #[serde(default)]
    pub(super) cursor: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum EntityPart {
    Description,
    Relationships,
    Sentences,
    Claims,
    Communities,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct EntityWanted {
    /// Name or id
    #[schemars(length(min = 1))]
    pub(super) name_or_id: String,
    #[serde(default = "most_parts")]
    pub(super) parts: Vec<EntityPart>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct NeighbourhoodQuery {
    /// Name or id
    #[schemars(length(min = 1))]
    pub(super) name_or_id: String,
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 3))]
    pub(super) depth: u32,
    #[serde(default = "thirty")]
    #[schemars(range(min = 1, max = 200))]
    pub(super) limit: u32,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct PathQuery {
    /// Name or id
    #[schemars(length(min = 1))]
    pub(super) from: String,
    /// Name or id
    #[schemars(length(min = 1))]
    pub(super) to: String,
    #[serde(default = "four")]
    #[schemars(range(min = 1, max = 6))]
    pub(super) max_hops: u32,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct CommunityPage {
    /// 0 is the coarsest
    #[serde(default)]
    pub(super) level: u32,
    #[serde(default = "twenty")]
    #[schemars(range(min = 1, max = 100))]
    pub(super) limit: u32,
    #[serde(default)]
    pub(super) cursor: String,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct CommunityWanted {
    #[schemars(length(min = 1))]
    pub(super) id: String,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct DocumentPage {
    /// A part of a key or title
    #[serde(default)]
    pub(super) query: String,
    #[serde(default = "fifty")]
    #[schemars(range(min = 1, max = 200))]
    pub(super) limit: u32,
    #[serde(default)]
    pub(super) cursor: String,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct DocumentWanted {
    #[schemars(length(min = 1))]
    pub(super) key_or_id: String,
    #[serde(default)]
    pub(super) from: u64,
    /// One behind the last; 0: as many as fit
    #[serde(default)]
    pub(super) to: u64,
    #[serde(default = "text_tokens")]
    #[schemars(range(min = 50, max = 20_000))]
    pub(super) max_tokens: u32,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct AddedDocument {
    /// A name of a file, such as notes/moon.md; the same key again replaces it
    #[schemars(length(min = 1))]
    pub(super) key: String,
    #[schemars(length(min = 1))]
    pub(super) text: String,
    #[serde(default)]
    pub(super) title: String,
    /// What is known of it, to filter by
    #[serde(default)]
    pub(super) metadata: BTreeMap<String, String>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct DocumentRemoval {
    #[schemars(length(min = 1))]
    pub(super) key_or_id: String,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct EntityMerge {
    /// Names or ids of entities that are one
    #[schemars(length(min = 1))]
    pub(super) names: Vec<String>,
    /// The entity that stays, or the name that all are to be shown under
    #[schemars(length(min = 1))]
    pub(super) into: String,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct EditReversal {
    /// The edit's id, as the job that made it reports it
    #[schemars(length(min = 1))]
    pub(super) id: String,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct JobWanted {
    #[schemars(length(min = 1))]
    pub(super) id: String,
    /// Seconds to wait for its end
    #[serde(default = "patience")]
    #[schemars(range(max = 45))]
    pub(super) wait_s: u32,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct SearchResults {
    pub(super) results: Vec<SearchResultRow>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct SearchResultRow {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) url: String,
    pub(super) text: String,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct RecordText {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) text: String,
    pub(super) url: String,
    pub(super) metadata: Map<String, Value>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct AnswerText {
    pub(super) id: String,
    pub(super) pending: bool,
    pub(super) text: String,
    pub(super) citations: Vec<Value>,
    pub(super) notes: Vec<String>,
    pub(super) url: String,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct TableResult {
    pub(super) found: bool,
    pub(super) read_as: String,
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<Value>,
    pub(super) possible: Vec<Value>,
    pub(super) count: Option<u64>,
    pub(super) total: Option<f64>,
    pub(super) taken_for: Vec<Value>,
    pub(super) completeness: serde_json::Map<String, Value>,
    pub(super) truncated: bool,
    pub(super) refused: String,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct TrendLists {
    pub(super) lists: Map<String, Value>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct ItemPage {
    pub(super) items: Vec<Value>,
    pub(super) next: String,
    pub(super) truncated: bool,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct NeighbourhoodGraph {
    pub(super) nodes: Vec<Value>,
    pub(super) edges: Vec<Value>,
    pub(super) truncated: bool,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct PathResult {
    pub(super) found: bool,
    pub(super) nodes: Vec<Value>,
    pub(super) steps: Vec<Value>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct TextPiece {
    pub(super) text: String,
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) total: u64,
    pub(super) url: String,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct RecordId {
    pub(super) id: String,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct JobStatus {
    pub(super) id: String,
    pub(super) state: String,
}
