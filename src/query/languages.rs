//! A question in another language than the texts: a model says which names and words these have for it, and where nothing
//! could be compared nobody says that there is nothing.

use super::question::names::named;
use super::request::QueryRequest;
use super::retrieval::hybrid::{HybridQuery, hybrid_search};
use super::search::Search;
use crate::domain::{Entity, StoredUnit};
use crate::language::{self, Language, language_of, one_line};
use crate::llm::{ChatModel, ChatRequest, ModelRole, Usage};
use crate::prompts::{Data, PromptName, QuestionWords};
use crate::stores::graph::VectorKind;
use anyhow::Result;
use std::collections::BTreeSet;

/// Text units whose language is told, by their ids, which say nothing of them; one of so many must be in another one.
const SAMPLE: usize = 60;
const OTHERS: usize = 12;
/// Texts in another language that the model is shown, and characters of each.
const SHOWN: usize = 4;
const BEGINNING: usize = 80;
/// Bytes of a text from which its language can be told where it is neither English nor Chinese.
const TELLING: usize = 200;
/// Characters of the words that are looked for.
const WORDS: usize = 200;

/// The names and words of the question as the texts of the corpus in other languages have them, and what asking the model
/// for them took. Nothing without a model, where the texts are in the question's own language, and where these know the
/// names that it has.
///
/// # Errors
/// What the stores and the model say.
pub(super) async fn other_words(search: &Search<'_>) -> Result<Option<(String, Usage)>> {
    let question = search.request.question.as_str();
    let Some(model) = &search.services.chat else { return Ok(None) };
    let named = named(search.reader.as_ref(), &search.services.ids, question).await?;
    if !named.is_empty() && !has_unknown_names(search, &named).await? {
        return Ok(None);
    }
    let (own, sample) = (language_of(question), sample(search).await?);
    let others: Vec<String> = sample
        .iter()
        .filter(|unit| is_other(own, &unit.unit.text))
        .map(|unit| one_line(&unit.unit.text).chars().take(BEGINNING).collect())
        .collect();
    if others.is_empty() || others.len() * OTHERS < sample.len() {
        return Ok(None);
    }
    ask(search, model.as_ref(), &others).await.map(Some)
}

async fn ask(search: &Search<'_>, model: &dyn ChatModel, others: &[String]) -> Result<(String, Usage)> {
    let question = search.request.question_text();
    let prompt = QuestionWords { question, texts: Data::items(others.iter().take(SHOWN)) };
    let messages = search.services.prompts.render(&prompt)?;
    let request = ChatRequest::new(ModelRole::Answer, PromptName::QuestionWords.as_str(), messages);
    let reply = model.chat(&request).await?;
    let text = words_of(&reply.text);
    if !text.is_empty() {
        search.request.progress().note(&format!("also looking for: {text}"));
    }
    Ok((text, reply.usage))
}

/// What says that nothing could be compared, in the question's language; nothing where some text is in that language, so that
/// its words were looked for.
///
/// # Errors
/// What the store says.
pub(super) async fn nothing_compared(search: &Search<'_>) -> Result<Option<&'static str>> {
    let (own, sample) = (language_of(&search.request.question), sample(search).await?);
    let apart = !sample.is_empty() && sample.iter().all(|unit| is_other(own, &unit.unit.text));
    Ok(apart.then(|| nothing_compared_note(own, search.services.chat.is_some())))
}

fn nothing_compared_note(own: Language, by_model: bool) -> &'static str {
    match (own, by_model) {
        (Language::Chinese, true) => {
            "资料与问题的语言不同，问题中的词语无法与资料比对；请用资料的语言提问，并写出资料中的名称。"
        }
        (Language::Chinese, false) => {
            "资料与问题的语言不同，问题中的词语无法与资料比对；请用资料的语言提问，或配置模型（[llm]）。"
        }
        (_, true) => {
            "The indexed documents are in another language than the question, and none of its words could be compared with \
             theirs; ask in their language, with names as they write them."
        }
        (_, false) => {
            "The indexed documents are in another language than the question, and none of its words could be compared with \
             theirs; ask in their language, or configure a model ([llm])."
        }
    }
}

async fn sample(search: &Search<'_>) -> Result<Vec<StoredUnit>> {
    Ok(search.reader.text_units(None, SAMPLE).await?)
}

/// Whether a text is in another language than a question.
pub(super) fn is_other(own: Language, text: &str) -> bool {
    match (own, language_of(text)) {
        (Language::Chinese, other) => other != Language::Chinese,
        (_, Language::Chinese) => true,
        (own, other) => own == Language::English && other != own && text.len() >= TELLING,
    }
}

/// Whether the question has words in capitals that belong to no known name and stand nowhere in the texts.
async fn has_unknown_names(search: &Search<'_>, named: &[Entity]) -> Result<bool> {
    let known: BTreeSet<String> = named
        .iter()
        .flat_map(|entity| std::iter::once(&entity.name).chain(&entity.aliases))
        .flat_map(|name| language::words(&name.to_lowercase()))
        .collect();
    // the first word is in capitals whatever it is
    for word in search.request.question.split(|c: char| !c.is_alphanumeric()).skip(1) {
        let flat = word.to_lowercase();
        if !word.starts_with(char::is_uppercase) || language::is_stop_word(&flat) || known.contains(&flat) {
            continue;
        }
        let query = HybridQuery { text: word, dense: None, limit: 1 };
        let hits =
            hybrid_search(search.services, VectorKind::TextUnits, &query, search.filters.of_units()).await?;
        if hits.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The line of a reply that has words to look for.
fn words_of(reply: &str) -> String {
    let line = reply.lines().map(str::trim).find(|line| line.chars().any(char::is_alphanumeric));
    line.unwrap_or_default().chars().take(WORDS).collect()
}

impl QueryRequest {
    /// What reports, texts and summaries are looked for with: the question, and the words that texts in other languages have
    /// for it.
    pub(super) fn sought(&self) -> String {
        format!("{} {}", self.question, self.other_words).trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_of_a_question_is_held_against_that_of_texts() {
        let english = "The founder of the factory borrowed money from a banker of the town.";
        assert!(is_other(Language::English, "程敬之借银八千元给顾维舟。"));
        assert!(is_other(Language::Chinese, english));
        assert!(!is_other(Language::English, english));
        assert!(!is_other(Language::Chinese, "程敬之借银八千元给顾维舟。"));
        let request = QueryRequest {
            question: "Who lent?".into(),
            other_words: "借".into(),
            ..QueryRequest::default()
        };
        assert_eq!(request.sought(), "Who lent? 借");
        assert_eq!(
            QueryRequest { question: "Who lent?".into(), ..QueryRequest::default() }.sought(),
            "Who lent?"
        );
    }
}
