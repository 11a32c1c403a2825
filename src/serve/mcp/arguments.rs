//! What the tools take and give, as their schemas say it. The words are for agents: each stands in every conversation.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

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
    answer_tokens: u32 = 2_000;
    text_tokens: u32 = 4_000;
    all_parts: String = "description,relationships,sentences".to_owned();
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct Query {
    /// What to look for: a question, names, or words
    pub(super) query: String,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct Fetched {
    /// An id that another tool gave, such as `unit:…`, `entity:…`, `document:…`, `community:…`, `answer:…`
    pub(super) id: String,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct Asked {
    /// The question, in any language
    pub(super) question: String,
    /// auto, local (particular things), global (the whole), basic, drift, raptor, reader, source or table (which, how many, most, in common: rows of the graph with proof)
    #[serde(default = "auto")]
    pub(super) method: String,
    /// Only from documents and pages that fit, one a line: `path=docs/*.txt`, `page=10-20`, `date>=1843`
    #[serde(default)]
    pub(super) filters: String,
    /// Leave out what was written after this: 2023-06, FY16Q4
    #[serde(default)]
    pub(super) as_of: String,
    /// Ask every method and take the answer with the best proof; slow
    #[serde(default)]
    pub(super) thorough: bool,
    /// Tokens of the reply at most
    #[serde(default = "answer_tokens")]
    pub(super) max_tokens: u32,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct Rows {
    /// Which, how many, list, most, in common, but not, since 2016; 哪些, 多少, 最多. Names as the graph has them
    pub(super) question: String,
    /// Leave out what was written after this: 2023-06, FY16Q4
    #[serde(default)]
    pub(super) as_of: String,
    /// Rows at most
    #[serde(default = "fifty")]
    pub(super) limit: u32,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct TimeWanted {
    /// 2016, FY24Q1
    #[serde(default)]
    pub(super) from: String,
    #[serde(default)]
    pub(super) to: String,
    /// day to year, or chapter
    #[serde(default)]
    pub(super) every: String,
    /// An entity or community
    #[serde(default)]
    pub(super) about: String,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct EntityQuery {
    /// A part of a name
    pub(super) query: String,
    /// Only of this type, such as Person
    #[serde(default, rename = "type")]
    pub(super) kind: String,
    /// How many at most
    #[serde(default = "ten")]
    pub(super) limit: u32,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct EntityWanted {
    /// Any of its names, or its id
    pub(super) name_or_id: String,
    /// Which of description, relationships, sentences, claims, communities
    #[serde(default = "all_parts")]
    pub(super) parts: String,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct Around {
    /// Any of its names, or its id
    pub(super) name_or_id: String,
    /// Steps from it: 1 to 3
    #[serde(default = "one")]
    pub(super) depth: u32,
    /// Entities at most
    #[serde(default = "thirty")]
    pub(super) limit: u32,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct Between {
    /// Name or id of the first
    pub(super) from: String,
    /// Name or id of the last
    pub(super) to: String,
    /// Steps at most: 1 to 6
    #[serde(default = "four")]
    pub(super) max_hops: u32,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct CommunityPage {
    /// 0 is the coarsest
    #[serde(default)]
    pub(super) level: u32,
    /// How many at most
    #[serde(default = "twenty")]
    pub(super) limit: u32,
    /// `next` of the page before
    #[serde(default)]
    pub(super) cursor: String,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct CommunityWanted {
    /// Its id
    pub(super) id: String,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct DocumentPage {
    /// A part of a key or title
    #[serde(default)]
    pub(super) query: String,
    /// How many at most
    #[serde(default = "fifty")]
    pub(super) limit: u32,
    /// `next` of the page before
    #[serde(default)]
    pub(super) cursor: String,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct DocumentWanted {
    /// Key or id
    pub(super) key_or_id: String,
    /// First character
    #[serde(default)]
    pub(super) from: u64,
    /// Tokens at most
    #[serde(default = "text_tokens")]
    pub(super) max_tokens: u32,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct Found {
    pub(super) results: Vec<FoundRow>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct FoundRow {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) url: String,
    pub(super) text: String,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct FetchedRow {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) text: String,
    pub(super) url: String,
    pub(super) metadata: Map<String, Value>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct Answered {
    pub(super) id: String,
    pub(super) pending: bool,
    pub(super) text: String,
    pub(super) citations: Vec<Value>,
    pub(super) notes: Vec<String>,
    pub(super) url: String,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct Rowed {
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
pub(super) struct Trended {
    pub(super) lists: Map<String, Value>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct Page {
    pub(super) items: Vec<Value>,
    pub(super) next: String,
    pub(super) truncated: bool,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct Graph {
    pub(super) nodes: Vec<Value>,
    pub(super) edges: Vec<Value>,
    pub(super) truncated: bool,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct Way {
    pub(super) found: bool,
    pub(super) nodes: Vec<Value>,
    pub(super) steps: Vec<Value>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) total: u64,
    pub(super) url: String,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct Record {
    pub(super) id: String,
}
