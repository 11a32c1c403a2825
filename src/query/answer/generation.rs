//! Calls of the model that write an answer: streamed, with checked citations, and with less to read where a prompt is too
//! long.

use super::Answer;
use super::citations::CitationChecker;
use super::numbering::without_numbers;
use super::quotes::nothing_found;
use crate::domain::RecordKind;
use crate::language;
use crate::llm::reply;
use crate::llm::{ChatModel, ChatReply, ChatRequest, Message, ModelError, ModelRole};
use crate::prompts::PromptName;
use crate::query::request::{QueryRequest, Turn};
use crate::query::retrieval::context::Context;
use crate::services::Services;
use crate::tokens::Tokens;
use anyhow::Result;
use std::collections::BTreeSet;

/// A task that writes an answer, and how much of what it is written from may be shown.
pub(in crate::query) struct AnswerTask<'a> {
    model: &'a dyn ChatModel,
    name: &'static str,
    tokens: Tokens,
    budget_tokens: usize,
}

impl<'a> AnswerTask<'a> {
    /// A task with the budget of a context.
    pub(in crate::query) fn new(services: &Services, model: &'a dyn ChatModel, name: PromptName) -> Self {
        let budget_tokens = services.config.search.max_context_tokens;
        Self { model, name: name.as_str(), tokens: services.tokens, budget_tokens }
    }

    /// Asks the model and hands its reply on with checked citations. The whole checked reply is in `answer.answer`.
    ///
    /// # Errors
    /// What the model says.
    pub(in crate::query) async fn stream(
        &self,
        messages: Vec<Message>,
        known: &(dyn Fn(RecordKind, u32) -> bool + Sync),
        answer: &mut Answer,
        on_text: &mut (dyn for<'t> FnMut(&'t str) + Send),
    ) -> Result<()> {
        let mut checker = CitationChecker::new(known);
        let request = ChatRequest::new(ModelRole::Answer, self.name, messages);
        let reply = {
            let mut pass_on = |piece: &str| {
                let ready = checker.push(piece);
                if !ready.is_empty() {
                    on_text(&ready);
                }
            };
            self.model.chat_streaming(&request, &mut pass_on).await?
        };
        let rest = checker.finish();
        if !rest.is_empty() {
            on_text(&rest);
        }
        answer.spent(reply.usage);
        answer.answer = checker.checked;
        answer.citations_removed += checker.removed;
        Ok(())
    }

    /// Asks the model of a text, of which ever less is shown as long as the model says that the whole is too long.
    ///
    /// # Errors
    /// What the model says.
    pub(in crate::query) async fn complete(
        &self,
        text: &str,
        messages: impl Fn(&str) -> Result<Vec<Message>> + Send,
    ) -> Result<ChatReply> {
        let mut shown = self.tokens.truncate(text, self.budget_tokens);
        loop {
            match self.model.chat(&ChatRequest::new(ModelRole::Answer, self.name, messages(shown)?)).await {
                Err(ModelError::TooLong { .. }) if self.tokens.count(shown) > 1 => {
                    shown = self.tokens.truncate(shown, self.tokens.count(shown) / 2);
                }
                reply => return Ok(reply?),
            }
        }
    }

    /// Makes one answer of several texts, the best first: of as many as fit the budget, and of ever fewer as long as the
    /// model says that the whole is too long. What they cite may be cited. False where not even the first fits.
    ///
    /// # Errors
    /// What the model says.
    pub(in crate::query) async fn reduce(
        &self,
        texts: &[String],
        messages: impl Fn(&str) -> Result<Vec<Message>> + Send,
        answer: &mut Answer,
        on_text: &mut (dyn for<'t> FnMut(&'t str) + Send),
    ) -> Result<bool> {
        let mut shown = fitting(texts, self.tokens, self.budget_tokens);
        while !shown.is_empty() {
            let text = shown.concat();
            let cited: BTreeSet<(RecordKind, u32)> = reply::find_citations(&text)
                .into_iter()
                .flat_map(|group| group.numbers.into_iter().map(move |number| (group.kind, number)))
                .collect();
            let known = |kind, number| cited.contains(&(kind, number));
            match self.stream(messages(&text)?, &known, answer, on_text).await {
                Err(error) if is_too_long(&error) && shown.len() > 1 => {
                    let half = fitting(shown, self.tokens, self.tokens.count(&text) / 2).len().max(1);
                    shown = shown.get(..half).unwrap_or_default();
                }
                done => return done.map(|()| true),
            }
        }
        Ok(false)
    }
}

/// Makes that nothing was found the answer.
pub(in crate::query) fn answer_nothing_found(
    request: &QueryRequest,
    answer: &mut Answer,
    on_text: &mut (dyn for<'t> FnMut(&'t str) + Send),
) {
    nothing_found(language::language_of(&request.question)).clone_into(&mut answer.answer);
    answer.found = super::Found(false);
    on_text(&answer.answer);
}

/// Asks the model from a context, which is halved as long as the model says that the whole is too long.
///
/// # Errors
/// What the model says.
pub(in crate::query) async fn complete(
    model: &dyn ChatModel,
    task: PromptName,
    context: &mut Context,
    messages: impl Fn(&Context) -> Result<Vec<Message>> + Send,
) -> Result<ChatReply> {
    loop {
        match model.chat(&ChatRequest::new(ModelRole::Answer, task.as_str(), messages(context)?)).await {
            Err(ModelError::TooLong { .. }) if context.halve() => {}
            reply => return Ok(reply?),
        }
    }
}

/// The first of some texts that fit a budget: nothing stands in for one that would fit.
fn fitting(texts: &[String], tokens: Tokens, budget_tokens: usize) -> &[String] {
    let mut used = 0;
    let count = texts.iter().take_while(|text| {
        used += tokens.count(text);
        used <= budget_tokens
    });
    texts.get(..count.count()).unwrap_or_default()
}

/// Whether an answer failed because the model was shown too much at once.
pub(in crate::query) fn is_too_long(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(ModelError::TooLong { .. }))
}

/// The conversation for a prompt: as many of the latest turns as fit the budget, oldest first.
pub(in crate::query) fn history_lines(history: &[Turn], tokens: Tokens, budget_tokens: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut used = 0;
    for turn in history.iter().rev() {
        // its numbers belong to tables that are not shown any more
        let answered = without_numbers(&reply::without_citations(&turn.answer));
        let pair = [format!("user: {}", turn.question), format!("assistant: {answered}")];
        let cost: usize = pair.iter().map(|line| tokens.count(line)).sum();
        if used + cost > budget_tokens {
            break;
        }
        used += cost;
        let [asked, answered] = pair;
        lines.push(answered);
        lines.push(asked);
    }
    lines.reverse();
    lines
}

/// What the answer should look like, in words for the model.
pub(in crate::query) fn response_type(request: &QueryRequest) -> &str {
    if request.response_type.trim().is_empty() { "Multiple Paragraphs" } else { &request.response_type }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_turns_stay() {
        let history: Vec<Turn> = (0..20)
            .map(|n| Turn { question: format!("question {n}"), answer: format!("answer {n}") })
            .collect();
        let lines = history_lines(&history, Tokens::O200kBase, 30);
        assert_eq!(lines.last().map(String::as_str), Some("assistant: answer 19"));
        assert!(lines.len() < 12);
    }

    #[test]
    fn earlier_answers_lose_their_numbers() {
        let answer = "Bob is a clerk [1][2]. He has a son [Data: Sources (7)].".to_owned();
        let history = [Turn { question: "Who is Bob?".to_owned(), answer }];
        let lines = history_lines(&history, Tokens::O200kBase, 100);
        assert_eq!(lines, ["user: Who is Bob?", "assistant: Bob is a clerk. He has a son."]);
    }
}
