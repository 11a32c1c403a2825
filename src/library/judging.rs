//! A model decides which of a few entries asks what a question asks, where words and meaning leave it in doubt.

use crate::domain::LibraryEntry;
use crate::llm::reply::read_json;
use crate::llm::{ChatModel, ChatRequest, ModelError, ModelRole};
use crate::prompts::{Data, MatchQuestion, Prompt, Prompts, QuestionText, record_text};
use anyhow::Result;
use serde_json::Value;

/// Tokens of a verdict.
const VERDICT_TOKENS: u32 = 60;

/// What a model says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryVerdict {
    /// The entry at this place asks the same.
    Entry(usize),
    /// None of them does.
    None,
    /// The reply cannot be used, or the model could not be asked.
    Open,
}

/// Which of the entries asks the same, in one short call.
///
/// # Errors
/// The budget is used up.
pub async fn judge(
    model: &dyn ChatModel,
    prompts: &Prompts,
    question: QuestionText<'_>,
    entries: &[&LibraryEntry],
) -> Result<EntryVerdict> {
    let lines: Vec<String> = (1..)
        .zip(entries)
        .map(|(number, entry)| {
            let text = format!("{} | {}", entry.question, entry.answer);
            format!("[{number}] {}", record_text(&crate::language::one_line(&text)))
        })
        .collect();
    let prompt = MatchQuestion { entries: Data::text(lines.join("\n")), question, count: entries.len() };
    let mut request = ChatRequest::new(ModelRole::Judge, prompt.name().as_str(), prompts.messages(&prompt)?);
    request.max_tokens = Some(VERDICT_TOKENS);
    let reply = match model.chat(&request).await {
        Ok(reply) => reply,
        Err(error @ ModelError::Budget(_)) => return Err(error.into()),
        Err(error) => {
            tracing::warn!(%error, "no verdict on which entry of the library is meant");
            return Ok(EntryVerdict::Open);
        }
    };
    Ok(verdict(&reply.text, entries.len()))
}

fn verdict(reply: &str, count: usize) -> EntryVerdict {
    let number = read_json(reply).and_then(|value| value.get("entry").and_then(Value::as_u64));
    match number.and_then(|number| usize::try_from(number).ok()) {
        Some(0) => EntryVerdict::None,
        Some(number) if number <= count => EntryVerdict::Entry(number - 1),
        _ => EntryVerdict::Open,
    }
}

#[cfg(test)]
mod tests {
    use super::{EntryVerdict, verdict};

    #[test]
    fn a_verdict_names_an_entry_or_none_and_nothing_else_counts() {
        assert_eq!(verdict("{\"entry\": 2}", 3), EntryVerdict::Entry(1));
        assert_eq!(verdict("It is none: {\"entry\": 0}", 3), EntryVerdict::None);
        assert_eq!(verdict("{\"entry\": 4}", 3), EntryVerdict::Open);
        assert_eq!(verdict("the second", 3), EntryVerdict::Open);
    }
}
