//! What all paths share: the question, the plan, the graph, the model and the time.

use super::graph::FactGraph;
use crate::config::ReaderSearchConfig;
use crate::domain::{Id, StoredUnit, TextUnit};
use crate::llm::reply::without_citations;
use crate::llm::{ChatModel, ChatReply, ChatRequest, Message, ModelError, ModelRole};
use crate::prompts::{PromptName, record_text};
use crate::query::clock::Clock;
use crate::query::request::QueryRequest;
use crate::services::Services;
use crate::stores::graph::GraphReader;
use anyhow::Result;
use std::collections::BTreeMap;
use std::ops::Range;

/// An agent that reads for one question.
pub(super) struct Agent<'a> {
    pub(super) services: &'a Services,
    pub(super) model: &'a dyn ChatModel,
    pub(super) reader: &'a dyn GraphReader,
    pub(super) graph: &'a FactGraph,
    pub(super) settings: &'a ReaderSearchConfig,
    pub(super) request: &'a QueryRequest,
    pub(super) plan: String,
    pub(super) clock: Clock,
}

/// What came of a call.
pub(super) enum Called {
    /// A reply.
    Reply(ChatReply),
    /// None: the time is over, or the model does not take this call.
    Ended(String),
}

impl Agent<'_> {
    /// Calls the model, unless the time is over; a call that has begun ends, for it is paid for.
    ///
    /// # Errors
    /// A model that cannot be reached or refuses, a budget that is used up.
    pub(super) async fn call(&self, task: PromptName, messages: Vec<Message>) -> Result<Called> {
        if self.clock.is_over() {
            return Ok(Called::Ended(self.clock.limit()));
        }
        let request = ChatRequest::new(ModelRole::Answer, task.as_str(), messages);
        let reply = self.model.chat(&request).await;
        self.clock.note(reply.as_ref().err().is_none_or(|error| !error.stops_the_run()));
        match reply {
            Ok(reply) => Ok(Called::Reply(reply)),
            Err(error @ (ModelError::Rejected { .. } | ModelError::TooLong { .. })) => {
                Ok(Called::Ended(error.to_string()))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Tokens of a prompt.
    pub(super) fn count(&self, messages: &[Message]) -> u64 {
        messages.iter().map(|message| self.services.tokens.count(&message.content) as u64).sum()
    }

    /// The text units of chunks, by id.
    ///
    /// # Errors
    /// What the store says.
    pub(super) async fn units_of(&self, chunks: &[usize]) -> Result<BTreeMap<Id, StoredUnit>> {
        let ids = chunks.iter().filter_map(|chunk| self.graph.chunks.get(*chunk));
        let ids: Vec<Id> = ids.flat_map(|chunk| chunk.text_units.iter().cloned()).collect();
        let units = self.reader.passages_by_id(&ids).await?;
        Ok(units.into_iter().map(|unit| (unit.unit.id.clone(), unit)).collect())
    }

    /// A chunk's text, every text unit with its number; what a text unit has of the one before it is shown once, and what
    /// the chunk shares with those beside it in `shown` not at all.
    ///
    /// # Errors
    /// What the store says.
    pub(super) async fn text_of(&self, chunk: usize, shown: &[usize]) -> Result<String> {
        let beside = |other: Option<usize>| other.filter(|other| shown.contains(other));
        let (before, behind) = (beside(self.graph.previous(chunk)), beside(self.graph.subsequent(chunk)));
        let wanted: Vec<usize> = before.into_iter().chain([chunk]).chain(behind).collect();
        let units = self.units_of(&wanted).await?;
        let of = |chunk: Option<usize>| {
            let ids = chunk.and_then(|chunk| self.graph.chunks.get(chunk)).map(|chunk| &chunk.text_units);
            ids.into_iter().flatten().filter_map(|id| units.get(id)).map(|unit| &unit.unit)
        };
        let mut from = of(before).map(|unit| unit.end_offset).max().unwrap_or(0);
        let until = of(behind).map(|unit| unit.start_offset).min().unwrap_or(u64::MAX);
        let mut text = String::new();
        let Some(chunk) = self.graph.chunks.get(chunk) else { return Ok(text) };
        for (place, id) in chunk.text_units.iter().enumerate() {
            let Some(StoredUnit { unit, .. }) = units.get(id) else { continue };
            let plain = without_citations(characters_of(unit, from..until).trim());
            from = from.max(unit.end_offset);
            if !plain.is_empty() {
                let source = format!("Source {}:\n{plain}", chunk.first_number + place);
                text.extend([&record_text(&source), "\n\n"]);
            }
        }
        Ok(text)
    }
}

/// What a text unit has of some characters of its document.
fn characters_of(unit: &TextUnit, Range { start, end }: Range<u64>) -> &str {
    let byte_of = |character: u64| {
        let characters = usize::try_from(character.saturating_sub(unit.start_offset)).unwrap_or(usize::MAX);
        unit.text.char_indices().nth(characters).map_or(unit.text.len(), |(at, _)| at)
    };
    unit.text.get(byte_of(start)..byte_of(end)).unwrap_or_default()
}
