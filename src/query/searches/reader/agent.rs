//! What all paths share: the question, the plan, the graph, the model and the time.

use super::graph::FactGraph;
use crate::config::ReaderSearchConfig;
use crate::domain::{Id, StoredUnit};
use crate::llm::reply::without_citations;
use crate::llm::{ChatModel, ChatReply, ChatRequest, Message, ModelError, ModelRole};
use crate::prompts::{PromptName, record_text};
use crate::query::clock::Clock;
use crate::query::request::QueryRequest;
use crate::services::Services;
use crate::stores::graph::GraphReader;
use anyhow::Result;
use std::collections::BTreeMap;

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

    /// A chunk's text, every text unit with its number; what a text unit has of the one before it is shown once.
    ///
    /// # Errors
    /// What the store says.
    pub(super) async fn text_of(&self, chunk: usize) -> Result<String> {
        let units = self.units_of(&[chunk]).await?;
        let mut text = String::new();
        let Some(chunk) = self.graph.chunks.get(chunk) else { return Ok(text) };
        let mut end = 0;
        for (place, id) in chunk.text_units.iter().enumerate() {
            if let Some(unit) = units.get(id) {
                let shown = usize::try_from(u64::saturating_sub(end, unit.unit.start_offset)).unwrap_or(0);
                let rest = unit
                    .unit
                    .text
                    .char_indices()
                    .nth(shown)
                    .map_or("", |(at, _)| unit.unit.text.get(at..).unwrap_or_default());
                end = unit.unit.end_offset;
                let plain = without_citations(rest.trim());
                let source = format!("Source {}:\n{plain}", chunk.first_number + place);
                text.extend([&record_text(&source), "\n\n"]);
            }
        }
        Ok(text)
    }
}
