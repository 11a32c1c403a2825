//! What is asked and answered over HTTP and MCP, as JSON. One struct a shape: the description of the API and the schemas of
//! the tools are made from them.

use crate::domain::{Counts, RecordKind};
use crate::index::documents::MarkedPage;
use crate::query::answer::table::ReadBy;
use crate::query::{Effort, Method, Turn};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Which reports global search reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum LevelChoice {
    /// The partition of this level; 0 is the coarsest.
    Fixed(u32),
    /// Wherever reports have to do with the question.
    Named(LevelName),
}

/// A level by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LevelName {
    /// From the root downwards.
    Auto,
}

fn auto() -> Method {
    Method::Auto
}

/// A question.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a wish of its own")]
pub(crate) struct AnswerRequest {
    /// The question, at most 8,000 characters.
    pub(crate) question: String,
    /// The search; `auto`, which chooses one, where absent.
    #[serde(default = "auto")]
    pub(crate) method: Method,
    /// `quick`: that search alone; `thorough`: every search that works, and the answer with the best proof.
    pub(crate) effort: Effort,
    /// Level of global search; 0 is the coarsest, `auto` goes down wherever reports have to do with the question.
    pub(crate) level: Option<LevelChoice>,
    /// Only from these: `document=KEY`, `path=GLOB`, `type=KIND`, `page=10-20`, `sheet=Stock`, or metadata such as `author=Dickens`, `date>=1843`.
    pub(crate) filters: Vec<String>,
    /// As of this time, for what was written later is left out: `2023-06`, `FY16Q4`.
    pub(crate) as_of: Option<String>,
    /// What the answer should look like: `Multiple Paragraphs`, `A list`.
    pub(crate) response_type: Option<String>,
    /// Ask several questions of the graph and fuse what they find; with `local` and `basic`.
    pub(crate) rewrite: bool,
    /// Let global search add the model's own knowledge, marked.
    pub(crate) general_knowledge: bool,
    /// Let RAPTOR search go down from the roots.
    pub(crate) traversal: bool,
    /// Answer from sentences, without a model, whatever is configured.
    pub(crate) without_model: bool,
    /// The conversation so far, oldest first: at most 64 turns.
    pub(crate) history: Vec<Turn>,
    /// Go on with this conversation, and add to it.
    pub(crate) conversation: Option<String>,
    /// Send events as the answer comes.
    pub(crate) stream: bool,
    /// Say the answer's id and link at once, and make it meanwhile: `GET answers/{id}` says 202 until it is there.
    pub(crate) background: bool,
    /// Do not keep the answer; it has no link then.
    pub(crate) forget: bool,
    /// The id that it is to be kept under, where it was given out before.
    #[serde(skip)]
    pub(crate) id: Option<String>,
}

/// An answer that is being made.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct ToCome {
    /// Its id.
    pub(crate) id: String,
    /// `pending`.
    pub(crate) state: &'static str,
    /// Where it is to be had when it is there.
    pub(crate) answer: String,
    /// Its link for people.
    pub(crate) url: String,
}

impl ToCome {
    /// The answer of this id.
    pub(crate) fn of(public_url: &str, workspace: &str, id: &str) -> Self {
        Self {
            id: id.to_owned(),
            state: "pending",
            answer: format!("{public_url}/api/v1/workspaces/{workspace}/answers/{id}"),
            url: format!("{public_url}/#/w/{workspace}/a/{id}"),
        }
    }
}

/// The same question by several methods.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct CompareRequest {
    /// The question.
    pub(crate) question: String,
    /// The methods, at most eight; absent: all that work now.
    pub(crate) methods: Vec<Method>,
    /// As in a question.
    pub(crate) filters: Vec<String>,
    /// As in a question.
    pub(crate) without_model: bool,
}

/// Answers side by side.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Comparison {
    /// The question.
    pub(crate) question: String,
    /// An answer, or why there is none, for each method.
    pub(crate) answers: Vec<ComparedMethod>,
}

/// One method's part in a comparison.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct ComparedMethod {
    /// The method.
    pub(crate) method: Method,
    /// Its answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) answer: Option<AnswerReply>,
    /// Why it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) problem: Option<String>,
}

/// A search without a model.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct SearchRequest {
    /// The question, at most 8,000 characters.
    pub(crate) question: String,
    /// The search; `local` where absent.
    pub(crate) method: Method,
    /// As in a question.
    pub(crate) level: Option<LevelChoice>,
    /// As in a question.
    pub(crate) filters: Vec<String>,
    /// As in a question.
    pub(crate) as_of: Option<String>,
    /// Also the sentences that answer best; other methods than `local` always give them.
    pub(crate) sentences: bool,
    /// Leave out the packed text as a prompt shows it.
    pub(crate) without_text: bool,
}

/// A document by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct DocumentName {
    /// Its id.
    pub(crate) id: String,
    /// Its key: path, or path and row.
    pub(crate) key: String,
    /// Its title.
    pub(crate) title: String,
}

/// A sentence of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Sentence {
    /// The document.
    pub(crate) document: DocumentName,
    /// The text unit that holds it.
    pub(crate) text_unit: String,
    /// First character in the document's text, in Unicode scalar values.
    pub(crate) start: u64,
    /// One behind its last character.
    pub(crate) end: u64,
    /// Where in its file it stands: `p. 12`, `pp. 12–13`, `sheet Stock, row 3`; absent where the format has no such places.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) place: Option<String>,
    /// The sentence.
    pub(crate) text: String,
    /// Link to the sentence, marked in its document.
    pub(crate) url: String,
}

/// What an answer cites.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct CitationShape {
    /// The number in `text`; a record that is cited with several sentences stands here several times.
    pub(crate) n: usize,
    /// Kind of the record.
    pub(crate) kind: RecordKind,
    /// The number in `answer`, within its kind.
    pub(crate) number: usize,
    /// The record.
    pub(crate) id: String,
    /// Document of a source, name of an entity, title of a report.
    pub(crate) name: String,
    /// The section's headings, outermost first.
    pub(crate) headings: Vec<String>,
    /// The sentence that says it.
    pub(crate) sentence: Option<Sentence>,
}

/// A record by name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Named {
    /// Its id.
    pub(crate) id: String,
    /// Its name.
    pub(crate) name: String,
    /// How well it fits, comparable within one list only.
    pub(crate) score: f64,
}

/// A name of the question that was read otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ReadAs {
    /// As it was written.
    pub(crate) written: String,
    /// As it was read.
    pub(crate) read_as: String,
}

/// An answer with all that it rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct AnswerReply {
    /// Its id, for the link; empty where it is not kept.
    pub(crate) id: String,
    /// The workspace.
    pub(crate) workspace: String,
    /// The generation of the graph that it was read from.
    pub(crate) generation: u64,
    /// The question.
    pub(crate) question: String,
    /// Whether the documents hold an answer; where they do not, the text says so, with the nearest passages.
    #[serde(default = "answered")]
    pub(crate) found: bool,
    /// The search that gave it.
    pub(crate) method: Method,
    /// The text with citations as numbers: `[1]`.
    pub(crate) text: String,
    /// The text with citations as models write them: `[Data: Sources (1)]`.
    pub(crate) answer: String,
    /// What the numbers stand for.
    pub(crate) citations: Vec<CitationShape>,
    /// What each place that cites leads to, in the order of the text: places in `citations`.
    #[serde(skip)]
    pub(crate) marks: Vec<Vec<usize>>,
    /// Entities of the context, by rank.
    pub(crate) entities: Vec<Named>,
    /// Reports of the context, by rank.
    pub(crate) reports: Vec<Named>,
    /// Names of the question that were read otherwise than they were written.
    pub(crate) read_as: Vec<ReadAs>,
    /// Questions that were asked beside the original one.
    pub(crate) rewritten: Vec<String>,
    /// The rows, where the answer is a table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) table: Option<TableShape>,
    /// Limits that were reached.
    pub(crate) notes: Vec<String>,
    /// Milliseconds of each step and in all.
    pub(crate) timings_ms: BTreeMap<String, f64>,
    /// Tokens: `context`, `input`, `output`, `cached`.
    pub(crate) tokens: BTreeMap<String, u64>,
    /// Calls of models.
    pub(crate) calls: u64,
    /// Dollars, where the prices are known.
    pub(crate) cost: Option<f64>,
    /// What was packed.
    pub(crate) context: ContextShape,
    /// Whether a search gave it, or the library of standard answers.
    #[serde(default)]
    pub(crate) answered_by: AnsweredByShape,
    /// What the library says to it.
    #[serde(default)]
    pub(crate) library: LibraryShape,
    /// The steps of an agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<crate::query::answer::trace::Trace>")]
    pub(crate) trace: Option<serde_json::Value>,
    /// When it was answered.
    pub(crate) asked: String,
    /// Link that shows it again; empty where it is not kept.
    pub(crate) url: String,
}

/// Rows that answer a question, each with the sentences that it rests on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct TableShape {
    /// Version of this shape: 1.
    pub(crate) version: u32,
    /// What the question was taken to ask for, in words.
    pub(crate) read_as: String,
    /// Whether patterns read it so, or a model.
    pub(crate) read_by: ReadBy,
    /// The fields of rows that any row has something in, in the order that they are shown.
    pub(crate) columns: Vec<String>,
    /// How many rows the records say, where they are counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) count: Option<u64>,
    /// The sum of the rows' numbers, where they are added up and are all of one unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) total: Option<f64>,
    /// The sums of the rows' numbers, where they are added up: each unit for itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) totals: Vec<TotalShape>,
    /// Rows that the records say.
    pub(crate) rows: Vec<TableRowShape>,
    /// Rows that the records say something like.
    pub(crate) possible: Vec<TableRowShape>,
    /// What was taken for the question's words.
    pub(crate) taken_for: Vec<TakenForShape>,
    /// Words of the question that were not read, so that no row was chosen by them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) unread: Vec<String>,
    /// How complete it can be.
    pub(crate) completeness: CompletenessShape,
}

/// What the amounts of rows come to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct TotalShape {
    /// `$`, `€`, `£`, `¥`, or the word behind the numbers; empty where none stands there.
    pub(crate) unit: String,
    /// Their sum.
    pub(crate) total: f64,
}

/// A row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct TableRowShape {
    /// The entity, document, claim or community; absent for a year or a step of a path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<String>,
    /// Its name.
    pub(crate) name: String,
    /// An entity's type; empty where unknown.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// What it is ranked by, or the amount that is added up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) number: Option<f64>,
    /// What the records say, in their words.
    pub(crate) said: Vec<String>,
    /// First day that the records speak of, else of their documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) first: Option<String>,
    /// Last such day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last: Option<String>,
    /// Records that it rests on.
    pub(crate) records: usize,
    /// Sentences that say it.
    pub(crate) sentences: Vec<RowSentence>,
    /// What it says and a later document contradicts; only where all that it rests on is contradicted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) superseded: Vec<SupersededShape>,
}

/// What one document says and a later one contradicts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct SupersededShape {
    /// What was said.
    pub(crate) earlier: Sentence,
    /// What was said later.
    pub(crate) later: Sentence,
}

/// A sentence of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct RowSentence {
    /// The citation's number in the answer's text.
    pub(crate) n: usize,
    /// The sentence.
    pub(crate) sentence: Sentence,
}

/// Words of a question and what was taken for them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct TakenForShape {
    /// The question's words.
    pub(crate) written: String,
    /// The records' words, or the class of a noun.
    pub(crate) taken: Vec<String>,
    /// The records' words that mean the same by their vectors.
    #[serde(default)]
    pub(crate) near: Vec<String>,
    /// The cosine above which they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) near_above: Option<f64>,
}

/// What a table can know.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct CompletenessShape {
    /// Documents that are indexed.
    pub(crate) documents: u64,
    /// Text units that they were cut into.
    pub(crate) text_units: u64,
    /// How they were read.
    pub(crate) extraction: String,
    /// Rows of the graph that were read for it.
    pub(crate) rows_read: u64,
    /// Rows that are not shown.
    pub(crate) not_shown: u64,
}

/// Who gave an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum AnsweredByShape {
    /// A search over the graph.
    #[default]
    Search,
    /// An entry of the library of questions and answers.
    Library,
}

/// What the library says to a question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct LibraryShape {
    /// The entry that answers, where one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) entry: Option<QuestionShape>,
    /// The sentences that its answer rests on.
    pub(crate) rests_on: Vec<Sentence>,
    /// What it rests on and the documents do not say any more.
    pub(crate) stale: Vec<StaleShape>,
    /// Entries that may have been meant, where a search answered.
    pub(crate) did_you_mean: Vec<QuestionShape>,
    /// What may be asked next.
    pub(crate) related: Vec<QuestionShape>,
}

/// A question of the library.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct QuestionShape {
    /// Id of its entry.
    pub(crate) id: String,
    /// The question.
    pub(crate) question: String,
    /// From 0 to 1: how sure it is that it is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) confidence: Option<f64>,
}

/// A citation that does not hold any more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct StaleShape {
    /// Key of the document.
    pub(crate) document: String,
    /// What the answer was written from.
    pub(crate) was: String,
    /// What stands there now; absent where nothing like it is left.
    pub(crate) now: Option<String>,
}

impl StaleShape {
    /// As the library found it.
    pub(crate) fn of(broken: crate::domain::StaleCitation) -> Self {
        Self { document: broken.document, was: broken.was, now: broken.now }
    }
}

/// What an answer is taken for that was kept before this was noted.
fn answered() -> bool {
    true
}

/// What was packed into one budget.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ContextShape {
    /// Tokens used.
    pub(crate) tokens: usize,
    /// Tokens allowed.
    pub(crate) budget_tokens: usize,
    /// The records, kinds in the order of the prompt, best first within.
    pub(crate) items: Vec<ItemShape>,
}

/// A packed record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ItemShape {
    /// Its kind.
    pub(crate) kind: RecordKind,
    /// Its number within its kind.
    pub(crate) number: usize,
    /// Its id.
    pub(crate) id: String,
    /// Its name.
    pub(crate) name: String,
    /// How well it fits, comparable within its kind only.
    pub(crate) score: f64,
    /// Tokens that it takes.
    pub(crate) tokens: usize,
    /// What is shown of it; only in a search's reply.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) text: String,
}

/// What a search found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct SearchReply {
    /// The workspace.
    pub(crate) workspace: String,
    /// The generation that was read.
    pub(crate) generation: u64,
    /// The search.
    pub(crate) method: Method,
    /// Names that were read otherwise.
    pub(crate) read_as: Vec<ReadAs>,
    /// The records, with their text.
    pub(crate) context: ContextShape,
    /// The packed text as a prompt shows it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) text: String,
    /// The sentences that answer best.
    pub(crate) sentences: Vec<Sentence>,
    /// The rows, with `table`; where there are none, a note says what can be asked instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) table: Option<TableShape>,
    /// Limits that were reached.
    pub(crate) notes: Vec<String>,
    /// Milliseconds of each step and in all.
    pub(crate) timings_ms: BTreeMap<String, f64>,
}

/// A document.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct DocumentShape {
    /// Its id.
    pub(crate) id: String,
    /// Its key.
    pub(crate) key: String,
    /// Its title.
    pub(crate) title: String,
    /// Characters of its text.
    pub(crate) characters: u64,
    /// Text units that it is cut into.
    pub(crate) text_units: u64,
    /// How far it has come: `done`, `pending`, `failed`.
    pub(crate) state: String,
    /// Why text units failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    /// When its text came in, in UTC; absent where nobody noted it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) indexed_at: Option<String>,
    /// When it was written, or what time it speaks of: `2023`, `2023-10`, `2023-10-24`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) date: Option<String>,
    /// What is known of it.
    pub(crate) metadata: BTreeMap<String, String>,
}

/// A list a page at a time.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListOf{T}")]
pub(crate) struct Listing<T> {
    /// This page.
    pub(crate) items: Vec<T>,
    /// What to give as `after` for the next page; absent behind the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next: Option<String>,
}

/// A piece of a document's text.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct TextShape {
    /// The document.
    pub(crate) document: DocumentName,
    /// First character of this piece, in Unicode scalar values.
    pub(crate) from: u64,
    /// One behind its last character.
    pub(crate) to: u64,
    /// Characters in all.
    pub(crate) total: u64,
    /// The piece.
    pub(crate) text: String,
    /// Where to go on; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next: Option<u64>,
    /// The headings that stand above its beginning, outermost first, and those in it.
    pub(crate) headings: Vec<HeadingShape>,
    /// The text units that it touches.
    pub(crate) text_units: Vec<UnitSpan>,
}

/// Pages of a PDF on which a stretch of its text stands.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct PagesShape {
    /// The document.
    pub(crate) document: DocumentName,
    /// How many pages the file has.
    pub(crate) page_count: u64,
    /// The pages, with boxes around the stretch.
    pub(crate) pages: Vec<MarkedPage>,
}

/// What stands in a document.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct ContentsShape {
    /// The document.
    pub(crate) document: DocumentName,
    /// Headings in their order.
    pub(crate) headings: Vec<HeadingShape>,
    /// Pages, slides, rows, times, chapters of its file, in their order.
    pub(crate) places: Vec<PlaceShape>,
    /// The entities that it mentions, those of most of its text units first, at most 500.
    pub(crate) entities: Vec<MentionedShape>,
    /// Its summary tree, the root first.
    pub(crate) summaries: Vec<SummaryShape>,
    /// Its atomic facts.
    pub(crate) facts: Vec<String>,
}

/// A heading of a document.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct HeadingShape {
    /// How deep it lies, from 0.
    pub(crate) depth: usize,
    /// The heading.
    pub(crate) text: String,
    /// Where it stands, in Unicode scalar values; where the text has lost its markup, the first character of the first text
    /// unit below it.
    pub(crate) start: u64,
}

/// A place of a document's file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct PlaceShape {
    /// As a reader looks it up: `p. 12`, `slide 3`.
    pub(crate) label: String,
    /// First character, in Unicode scalar values.
    pub(crate) start: u64,
}

/// An entity that a document mentions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct MentionedShape {
    /// Its id.
    pub(crate) id: String,
    /// Its name.
    pub(crate) name: String,
    /// Its type; empty where unknown.
    pub(crate) kind: String,
    /// Other names.
    pub(crate) aliases: Vec<String>,
    /// Text units of the document that mention it.
    pub(crate) text_units: usize,
}

/// A summary of a summary tree.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct SummaryShape {
    /// Its id.
    pub(crate) id: String,
    /// 1 above the passages, more further up.
    pub(crate) level: u32,
    /// The summary.
    pub(crate) text: String,
    /// The summaries that it sums up, by id, in the order of the text. One can be below several.
    pub(crate) children: Vec<String>,
    /// The passages that it sums up itself, in the order of the text.
    pub(crate) passages: Vec<PassageShape>,
}

/// A passage below a summary.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct PassageShape {
    /// First character, in Unicode scalar values.
    pub(crate) start: u64,
    /// One behind its last character.
    pub(crate) end: u64,
    /// Its first words.
    pub(crate) begins: String,
}

/// Where a text unit stands.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct UnitSpan {
    /// Its id.
    pub(crate) id: String,
    /// Its place among the document's.
    pub(crate) index: u32,
    /// First character.
    pub(crate) start: u64,
    /// One behind its last character.
    pub(crate) end: u64,
    /// The section's headings, outermost first.
    pub(crate) headings: Vec<String>,
    /// Pages or other places of the file that begin in it, or hold where it begins.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) places: Vec<PlaceShape>,
}

/// A text unit.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct UnitShape {
    /// Where it stands.
    #[serde(flatten)]
    pub(crate) span: UnitSpan,
    /// Its document.
    pub(crate) document: DocumentName,
    /// Its text.
    pub(crate) text: String,
    /// Entities that it mentions, by id.
    pub(crate) entities: Vec<String>,
}

/// An entity in a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct EntityRow {
    /// Its id.
    pub(crate) id: String,
    /// Its name.
    pub(crate) name: String,
    /// Its type; empty where unknown.
    pub(crate) kind: String,
    /// Text units that mention it.
    pub(crate) text_units: u32,
    /// Its relationships.
    pub(crate) degree: u32,
}

/// An entity.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct EntityShape {
    /// Its id.
    pub(crate) id: String,
    /// Its name.
    pub(crate) name: String,
    /// Its type; empty where unknown.
    pub(crate) kind: String,
    /// What is said of it.
    pub(crate) description: String,
    /// Other names.
    pub(crate) aliases: Vec<String>,
    /// Text units that mention it.
    pub(crate) text_units: u32,
    /// Its relationships, in number.
    pub(crate) degree: u32,
    /// Its heaviest relationships.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) relationships: Vec<RelationshipShape>,
    /// Sentences that say most of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) sentences: Vec<Sentence>,
    /// Claims made of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) claims: Vec<ClaimShape>,
    /// Communities that hold it, by id, coarsest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) communities: Vec<String>,
}

/// One end of a relationship.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct End {
    /// The entity.
    pub(crate) id: String,
    /// Its name.
    pub(crate) name: String,
}

/// A relationship.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct RelationshipShape {
    /// Its id.
    pub(crate) id: String,
    /// Where it begins.
    pub(crate) source: End,
    /// Where it leads.
    pub(crate) target: End,
    /// What it is; empty where unknown.
    pub(crate) kind: String,
    /// What is said of it.
    pub(crate) description: String,
    /// Records that support it.
    pub(crate) weight: u32,
    /// Text units that support it.
    pub(crate) text_units: u32,
    /// The sentence that says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sentence: Option<Sentence>,
}

/// A claim.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct ClaimShape {
    /// Its id.
    pub(crate) id: String,
    /// Of whom.
    pub(crate) subject: End,
    /// Against whom, or by whom.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) object: Option<End>,
    /// What kind of claim.
    pub(crate) kind: String,
    /// `true`, `false` or `suspected`.
    pub(crate) status: String,
    /// What is claimed.
    pub(crate) description: String,
    /// From when.
    pub(crate) start_date: String,
    /// Until when.
    pub(crate) end_date: String,
    /// The words of the text.
    pub(crate) source_text: String,
    /// Who says it, as written; empty where the text itself does.
    pub(crate) holder: String,
    /// The text unit that says it.
    pub(crate) text_unit: String,
}

/// Entities and relationships around one entity.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Neighbourhood {
    /// The entities, the one in the middle first.
    pub(crate) nodes: Vec<EntityRow>,
    /// The relationships between them, heaviest first.
    pub(crate) edges: Vec<RelationshipShape>,
    /// Whether the limit left something out.
    pub(crate) truncated: bool,
}

/// A way from one entity to another.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct PathShape {
    /// Whether there is one within the hops.
    pub(crate) found: bool,
    /// The entities on the way.
    pub(crate) nodes: Vec<End>,
    /// The relationships on the way, each with the sentence behind it.
    pub(crate) steps: Vec<RelationshipShape>,
}

/// A community in a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct CommunityRow {
    /// Its id.
    pub(crate) id: String,
    /// Its level; 0 is the coarsest.
    pub(crate) level: u32,
    /// The community above it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<String>,
    /// Title of its report.
    pub(crate) title: String,
    /// Its entities, in number.
    pub(crate) size: usize,
    /// How much it matters, 0 to 10.
    pub(crate) rank: f64,
}

/// A community with its report.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct CommunityShape {
    /// As in lists.
    #[serde(flatten)]
    pub(crate) row: CommunityRow,
    /// The report's summary.
    pub(crate) summary: String,
    /// Why it matters as much.
    pub(crate) rank_explanation: String,
    /// What the report found.
    pub(crate) findings: Vec<FindingShape>,
    /// Whether the report was composed without a model.
    pub(crate) composed: bool,
    /// Its entities, those of most relationships first, at most 200.
    pub(crate) members: Vec<End>,
}

/// A finding of a report.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct FindingShape {
    /// In a sentence.
    pub(crate) summary: String,
    /// In full.
    pub(crate) explanation: String,
    /// Sentences of documents that it rests on.
    pub(crate) sentences: Vec<Sentence>,
}

/// A workspace.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct WorkspaceShape {
    /// Its name.
    pub(crate) name: String,
    /// The generation that is read.
    pub(crate) generation: u64,
    /// What it holds.
    #[serde(flatten)]
    pub(crate) counts: Counts,
    /// Methods that work here now.
    pub(crate) methods: Vec<Method>,
    /// Whether a model writes the answers; else they are made of sentences.
    pub(crate) has_model: bool,
    /// Why the configured models cannot be asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unusable_models: Option<String>,
    /// Text units that are still to be read.
    pub(crate) pending: u64,
    /// Text units that failed.
    pub(crate) failed: u64,
    /// What answers and runs have asked of models, in dollars where prices are known.
    pub(crate) cost: f64,
}

/// Questions worth asking.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct QuestionsRequest {
    /// How many: 1 to 20; 5 where absent.
    pub(crate) n: Option<usize>,
    /// Questions asked before, oldest first.
    pub(crate) after: Vec<String>,
    /// `en` or `zh`: the language of who asks; those in it come first where the documents speak it. Absent: that of most
    /// documents.
    pub(crate) language: Option<QuestionLanguage>,
}

/// A language of questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum QuestionLanguage {
    /// English.
    En,
    /// Chinese.
    Zh,
}

/// Questions worth asking.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Questions {
    /// The best first.
    pub(crate) questions: Vec<String>,
}
