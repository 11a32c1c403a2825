//! Statements of an answer in another language than the texts that it cites, as these texts would say them: what shares no
//! word with any sentence leads to none.

use super::Answer;
use super::statements::{CitedRecord, CitedStatement};
use crate::language::{Language, language_of, unbroken};
use crate::llm::{ChatModel, ChatRequest, ModelRole, Usage, reply};
use crate::prompts::{Data, PromptName, RestatedStatements};
use crate::query::languages::is_other;
use crate::services::Services;
use anyhow::Result;
use std::collections::BTreeMap;

/// Statements that the model is asked about at most, and characters of each.
const STATEMENTS: usize = 40;
const STATEMENT: usize = 400;
/// Cited records that show it how the texts write, and characters of each.
const RECORDS: usize = 12;
const RECORD: usize = 240;
/// Texts behind a record by which its language is told.
const TEXTS: usize = 3;

/// Statements by their words, as the texts that they cite would say them; empty where answer and texts are in one language.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Restated(BTreeMap<String, String>);

impl Restated {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The statement to look for. Its own words stand before it: reports may be in the language of the answer.
    pub(super) fn of<'a>(&'a self, statement: CitedStatement<'a>) -> CitedStatement<'a> {
        match self.0.get(&words_of(statement)) {
            Some(said) => {
                CitedStatement { sentence: said, before: statement.sentence, listed: statement.listed }
            }
            None => statement,
        }
    }
}

/// Has the model say those statements of an answer again whose texts are in another language; `texts` are those that a
/// cited record rests on. Without a model, by `[search] cite_across_languages = false` and where the model fails statements
/// stay as they are: the answer is there, and what the records say in their own words decides.
pub(super) async fn restated<'a>(
    services: &Services,
    cited: &[CitedRecord<'_>],
    texts: &(dyn Fn(&CitedRecord<'_>) -> Vec<&'a str> + Sync),
    answer: &mut Answer,
) -> Restated {
    let model = services.chat.as_ref().filter(|_| services.config.search.cite_across_languages);
    let Some(model) = model else { return Restated::default() };
    let cited: Vec<CitedText<'_>> = cited
        .iter()
        .map(|place| CitedText {
            statement: place.statement,
            record: &place.item.record.text,
            texts: texts(place),
        })
        .collect();
    let (statements, records) = apart(language_of(&reply::without_citations(&answer.answer)), &cited);
    if statements.is_empty() {
        return Restated::default();
    }
    match ask(services, model.as_ref(), &statements, &records).await {
        Ok((restated, usage)) => {
            answer.spent(usage);
            restated
        }
        Err(error) => {
            tracing::warn!("citations may lead beside the sentence: {error:#}");
            Restated::default()
        }
    }
}

/// A statement with one record that it cites.
struct CitedText<'a> {
    statement: CitedStatement<'a>,
    /// As the model was shown it.
    record: &'a str,
    /// What the record rests on.
    texts: Vec<&'a str>,
}

/// The statements that are in another language than the texts behind what they cite, in the order of the answer, and how
/// records or texts in that language begin. A name or a number says nothing of a language: the whole answer is in another
/// one, too.
fn apart(answer: Language, cited: &[CitedText<'_>]) -> (Vec<String>, Vec<String>) {
    let mut statements: Vec<String> = Vec::new();
    let mut records: Vec<String> = Vec::new();
    for of_one in cited.chunk_by(|a, b| a.statement == b.statement) {
        let Some(first) = of_one.first() else { continue };
        let said = words_of(first.statement);
        let is_apart = |text: &str| is_other(answer, text) && is_other(language_of(&said), text);
        let texts: Vec<&str> = of_one.iter().flat_map(|one| one.texts.iter().copied().take(TEXTS)).collect();
        let text = texts.join("\n");
        if !said.chars().any(char::is_alphabetic) || text.trim().is_empty() || !is_apart(&text) {
            continue;
        }
        if !statements.contains(&said) && statements.len() < STATEMENTS {
            statements.push(said.clone());
        }
        for one in of_one {
            let shown = Some(one.record).filter(|record| is_apart(record)).or(one.texts.first().copied());
            let shown = beginning(&reply::without_citations(shown.unwrap_or_default()), RECORD);
            if records.len() < RECORDS && !records.contains(&shown) {
                records.push(shown);
            }
        }
    }
    (statements, records)
}

async fn ask(
    services: &Services,
    model: &dyn ChatModel,
    statements: &[String],
    records: &[String],
) -> Result<(Restated, Usage)> {
    let numbered =
        statements.iter().enumerate().map(|(at, said)| format!("{}. {}", at + 1, beginning(said, STATEMENT)));
    let prompt = RestatedStatements { statements: Data::items(numbered), texts: Data::items(records) };
    let messages = services.prompts.render(&prompt)?;
    let request = ChatRequest::new(ModelRole::Answer, PromptName::RestatedStatements.as_str(), messages);
    let reply = model.chat(&request).await?;
    Ok((Restated(read(&reply.text, statements)), reply.usage))
}

/// The numbered lines of a reply, by the statements of their numbers; of two lines of one number the first.
fn read(reply: &str, statements: &[String]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for line in reply.lines() {
        let line = line.trim_start_matches(|c: char| !c.is_alphanumeric());
        let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let Some((number, said)) = line.split_at_checked(digits) else { continue };
        let place = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let Some(statement) = place.and_then(|place| statements.get(place)) else { continue };
        let said = said.trim_start_matches(|c: char| c.is_whitespace() || ".):*、．：）".contains(c));
        let said = reply::without_citations(said).trim().to_owned();
        if said.chars().any(char::is_alphabetic) {
            found.entry(statement.clone()).or_insert(said);
        }
    }
    found
}

/// What a statement says, without the mark of a list: its sentence, and the list that it announces.
fn words_of(statement: CitedStatement<'_>) -> String {
    let said = unbroken(&format!("{} {}", statement.sentence, statement.listed));
    said.trim_start_matches(['-', '*', '•', '#', ' ']).to_owned()
}

fn beginning(text: &str, characters: usize) -> String {
    unbroken(text).chars().take(characters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHINESE: &str = "1930年，顾维舟创办青石茶厂。";
    const ENGLISH: &str = "The founder of the old tea factory of the town was Gu Weizhou.";

    fn statement(sentence: &str) -> CitedStatement<'_> {
        CitedStatement { sentence, ..CitedStatement::default() }
    }

    fn cited<'a>(sentence: &'a str, record: &'a str, text: &'a str) -> CitedText<'a> {
        CitedText { statement: statement(sentence), record, texts: vec![text] }
    }

    #[test]
    fn what_is_in_another_language_than_the_texts_is_asked_for_once() {
        let all = [
            cited("Gu Weizhou founded  it", "顾维舟创办茶厂。", CHINESE),
            cited("他创办了茶厂", "顾维舟创办茶厂。", CHINESE),
            cited("He founded the factory", ENGLISH, ENGLISH),
            cited("- Gu Weizhou founded it", "顾维舟创办茶厂。", CHINESE),
            // a report in the language of the answer, over texts in another one
            cited("It was in 1930", ENGLISH, CHINESE),
        ];
        let (statements, records) = apart(Language::English, &all);
        assert_eq!(statements, ["Gu Weizhou founded it", "It was in 1930"]);
        assert_eq!(records, ["顾维舟创办茶厂。", CHINESE]);
        let alone = |answer, one: CitedText<'_>| apart(answer, &[one]).0;
        assert!(
            alone(Language::Chinese, cited("他创办了茶厂", "", "")).is_empty(),
            "nothing is known of no text"
        );
        assert!(
            alone(Language::English, cited("1930", "", CHINESE)).is_empty(),
            "a number is in every language"
        );
        assert!(
            alone(Language::Chinese, cited("Gu Weizhou", "", CHINESE)).is_empty(),
            "a name in a Chinese answer"
        );
    }

    #[test]
    fn replies_are_read_by_their_numbers() {
        let statements = ["one", "two", "three"].map(str::to_owned);
        let reply = "Here they are:\n1. 顾维舟创办茶厂 [Data: Sources (1)]\n- **2**：程敬之借银\n2. 别的\n3.\n4. 没有\n0. 零";
        let read = read(reply, &statements);
        assert_eq!(read.len(), 2, "{read:?}");
        assert_eq!((read["one"].as_str(), read["two"].as_str()), ("顾维舟创办茶厂", "程敬之借银"));
        let restated = Restated(read);
        let expected = CitedStatement { sentence: "顾维舟创办茶厂", before: "one ", listed: "" };
        assert_eq!(restated.of(statement("one ")), expected);
        assert_eq!(restated.of(statement("three")), statement("three"));
    }
}
