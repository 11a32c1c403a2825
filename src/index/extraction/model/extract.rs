//! One text unit's conversation with a model: records, what was missed, and once more where a reply is unusable.

use super::missing::Missing;
use super::parser::{self, Parsed};
use super::prompt::prompt_of;
use super::sentiments;
use crate::config::ExtractionConfig;
use crate::domain::{self, MentionSentiment};
use crate::index::extraction::{Extraction, UnitText};
use crate::language::halves;
use crate::llm::{ChatModel, ChatReply, ChatRequest, Message, ModelError, ModelRole};
use crate::prompts::{Data, GLEAN_CHECK, GleanContinue, PromptName, Prompts, RepairReply};
use std::collections::HashSet;

/// Changes when the same reply gives other records.
const PARSER_VERSION: &str = "2";
/// Tokens of a yes or no: one, and room for models that put something round it.
const CHECK_TOKENS: u32 = 8;
/// What is asked for once more.
const FORM: &str = "one record a line, fields separated by <|>, the last line <|COMPLETE|>";

/// How a text unit is read.
#[derive(Clone, Copy, Debug)]
pub struct ExtractionSettings<'a> {
    /// `[extraction]`
    pub config: &'a ExtractionConfig,
    /// How often the unit has failed before: asked with more chance then, since the same question would get the same
    /// reply, from the cache.
    pub attempt: u32,
}

/// Reads the records of a text unit: one call, one more where the reply is unusable, and gleanings.
///
/// # Errors
/// Those of the model. Rejected as well where two replies in a row held no records. A text that is too long for the
/// model is split instead.
pub async fn extract(
    model: &dyn ChatModel,
    prompts: &Prompts,
    settings: ExtractionSettings<'_>,
    input: &UnitText<'_>,
) -> Result<Extraction, ModelError> {
    let mut gathered = GatheredRecords::default();
    let mut rest = vec![input.text];
    while let Some(text) = rest.pop() {
        let part = UnitText { text, ..*input };
        let conversation = UnitConversation { model, prompts, settings };
        match conversation.hold(&part, &mut gathered).await {
            Err(error @ ModelError::TooLong { .. }) => {
                let Some((first, second)) = halves(text) else { return Err(error) };
                rest.extend([second, first]);
            }
            other => other?,
        }
    }
    Ok(gathered.finish(input.text))
}

/// Changes when the settings, the prompts or the model do, so that text units are read again.
pub fn fingerprint(config: &ExtractionConfig, prompts: &Prompts, model_name: &str) -> String {
    let check = if config.gleaning_check { ", each checked" } else { "" };
    let (gleanings, claims) = (format!("{}{check}", config.gleanings), config.claims.to_string());
    let types = config.entity_types.join("\n");
    // what counts as a claim matters only where claims are read
    let claim_description = if config.claims { config.claim_description.as_str() } else { "" };
    let mut parts = vec![
        PARSER_VERSION,
        model_name,
        &gleanings,
        &claims,
        claim_description,
        &types,
        &config.domain,
        &config.language,
    ];
    if config.sentiment {
        parts.push("sentiment");
    }
    if !config.type_language.is_empty() {
        parts.push(&config.type_language);
    }
    if !config.examples.is_empty() {
        parts.push(&config.examples);
    }
    let schema = crate::index::extraction::schema::fingerprint(&config.schema);
    if !schema.is_empty() {
        parts.push(&schema);
    }
    parts.extend(
        [
            PromptName::ExtractGraph,
            PromptName::GleanCheck,
            PromptName::GleanContinue,
            PromptName::RepairReply,
        ]
        .map(|name| prompts.fingerprint(name)),
    );
    domain::fingerprint(&parts)
}

/// What all replies about one text unit say.
#[derive(Default)]
struct GatheredRecords {
    extraction: Extraction,
    seen: HashSet<String>,
    sentiments: Vec<(String, MentionSentiment)>,
}

impl GatheredRecords {
    fn add(&mut self, parsed: Parsed, gleaned: bool) {
        let before = self.extraction.records.len();
        for record in parsed.records {
            if self.seen.insert(format!("{record:?}")) {
                self.extraction.records.push(record);
            }
        }
        self.sentiments.extend(parsed.sentiments);
        self.extraction.records_lost += parsed.records_lost;
        if gleaned {
            self.extraction.records_gleaned += self.extraction.records.len().saturating_sub(before) as u64;
        }
        self.extraction.problems.extend(parsed.problems);
    }

    fn finish(mut self, text: &str) -> Extraction {
        parser::add_missing_ends(&mut self.extraction.records);
        sentiments::give(&mut self.extraction.records, self.sentiments, text);
        self.extraction
    }
}

struct UnitConversation<'a> {
    model: &'a dyn ChatModel,
    prompts: &'a Prompts,
    settings: ExtractionSettings<'a>,
}

impl UnitConversation<'_> {
    /// Everything that is asked about one text.
    async fn hold(&self, input: &UnitText<'_>, gathered: &mut GatheredRecords) -> Result<(), ModelError> {
        let config = self.settings.config;
        let mut messages = self.prompts.messages(&prompt_of(config, input))?;
        let (reply, parsed) = self.records(PromptName::ExtractGraph, &messages).await?;
        gathered.add(parsed, false);
        messages.push(Message::assistant(&reply.text));
        self.glean(input, messages, reply.truncated, gathered).await
    }

    /// The records of a reply; asks once more where it holds none, and says why.
    async fn records(
        &self,
        task: PromptName,
        messages: &[Message],
    ) -> Result<(ChatReply, Parsed), ModelError> {
        let reply = self.ask(task, messages.to_vec(), None).await?;
        let parsed = parser::parse_part(&reply.text);
        let Some(problem) = unusable(&parsed) else {
            return Ok((reply, parsed));
        };
        if task == PromptName::GleanContinue && is_none(&reply.text) {
            return Ok((reply, Parsed::default()));
        }
        let mut again = messages.to_vec();
        again.push(Message::assistant(&reply.text));
        again.extend(
            self.prompts.messages(&RepairReply { problem: Data::line(problem.as_str()), form: FORM })?,
        );
        let reply = self.ask(PromptName::RepairReply, again, None).await?;
        let mut parsed = parser::parse_part(&reply.text);
        if let Some(problem) = unusable(&parsed) {
            let endpoint = self.model.describe(ModelRole::Extract);
            return Err(ModelError::Rejected {
                endpoint,
                reason: format!("two replies could not be used: {problem}"),
            });
        }
        parsed.problems.insert(0, format!("asked once more: {problem}"));
        Ok((reply, parsed))
    }

    /// Asks for what the replies leave out, as far as they and the text show it: where nothing is, nobody is asked. Each
    /// reply is read alone, and one without records ends it. A forced yes or no
    /// before each round, as in the paper, costs a call of the same prompt; it is asked where the settings want it.
    /// A reply that was cut off is continued in any case.
    async fn glean(
        &self,
        input: &UnitText<'_>,
        mut messages: Vec<Message>,
        mut cut_off: bool,
        gathered: &mut GatheredRecords,
    ) -> Result<(), ModelError> {
        let rounds = self.settings.config.gleanings.max(u32::from(cut_off));
        for _ in 0..rounds {
            let claims = self.settings.config.claims;
            let missing = Missing::of(input, &gathered.extraction.records, claims);
            if missing.is_nothing() && !cut_off {
                return Ok(());
            }
            let forced = self.settings.config.gleaning_check;
            if forced && !cut_off && !self.is_more(&messages).await? {
                return Ok(());
            }
            let missing = missing.lines();
            let more = GleanContinue { missing: Data::text(missing), claims };
            messages.extend(self.prompts.messages(&more)?);
            let (reply, parsed) = match self.records(PromptName::GleanContinue, &messages).await {
                Ok(read) => read,
                // what has been paid for is kept
                Err(error @ (ModelError::TooLong { .. } | ModelError::Rejected { .. })) => {
                    gathered.extraction.problems.push(format!("gleaning: {error}"));
                    return Ok(());
                }
                Err(error) => return Err(error),
            };
            if parsed.records.is_empty() && parsed.records_lost == 0 {
                return Ok(());
            }
            gathered.add(parsed, true);
            cut_off = reply.truncated;
            messages.push(Message::assistant(reply.text));
        }
        Ok(())
    }

    async fn is_more(&self, messages: &[Message]) -> Result<bool, ModelError> {
        let mut question = messages.to_vec();
        question.extend(self.prompts.messages(&GLEAN_CHECK)?);
        match self.ask(PromptName::GleanCheck, question, Some(CHECK_TOKENS)).await {
            Ok(reply) => Ok(is_yes(&reply.text)),
            Err(ModelError::TooLong { .. } | ModelError::Rejected { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    async fn ask(
        &self,
        task: PromptName,
        messages: Vec<Message>,
        max_tokens: Option<u32>,
    ) -> Result<ChatReply, ModelError> {
        let mut request = ChatRequest::new(ModelRole::Extract, task.as_str(), messages);
        request.max_tokens = max_tokens;
        if self.settings.attempt > 0 {
            request.temperature = Some((0.2 * self.settings.attempt.min(5) as f32).clamp(0.2, 1.0));
        }
        self.model.chat(&request).await
    }
}

/// Why a reply cannot be used; a reply that says that there is nothing can.
fn unusable(parsed: &Parsed) -> Option<String> {
    if !parsed.records.is_empty() || (parsed.complete && parsed.records_lost == 0) {
        return None;
    }
    Some(parsed.problems.first().cloned().unwrap_or_else(|| "it holds no records".to_owned()))
}

/// Whether a reply says in words that nothing is missing.
fn is_none(reply: &str) -> bool {
    let words = reply.trim_start_matches(|c: char| !c.is_alphabetic()).to_lowercase();
    ["n", "no", "none", "nothing"].iter().any(|word| {
        words.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
    }) || words.starts_with("there are no")
        || ['无', '没', '否'].iter().any(|word| words.starts_with(*word))
}

fn is_yes(reply: &str) -> bool {
    let word = reply.trim_start_matches(|c: char| !c.is_alphabetic()).to_lowercase();
    word.starts_with('y') || word.starts_with('是') || word.starts_with('有')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Record;
    use crate::llm::scripted::{Scripted, reply};

    const BOB: &str = "(\"entity\"<|>Bob<|>person<|>Bob is a clerk.)\n<|COMPLETE|>";
    const TIM: &str = "(\"entity\"<|>Tim<|>person<|>Tim is his son.)\n(\"relationship\"<|>Bob<|>Tim<|>father of<|>Bob is his father.<|>9)\n<|COMPLETE|>";

    fn is_described(record: &Record) -> bool {
        matches!(record, Record::Entity(entity) if !entity.description.is_empty())
    }

    async fn run(model: &Scripted, gleanings: u32, text: &str) -> Result<Extraction, ModelError> {
        let config = ExtractionConfig { gleanings, ..ExtractionConfig::default() };
        run_with(model, config, text).await
    }

    async fn run_forced(model: &Scripted, gleanings: u32, text: &str) -> Result<Extraction, ModelError> {
        let config = ExtractionConfig { gleanings, gleaning_check: true, ..ExtractionConfig::default() };
        run_with(model, config, text).await
    }

    async fn run_with(
        model: &Scripted,
        config: ExtractionConfig,
        text: &str,
    ) -> Result<Extraction, ModelError> {
        let prompts = Prompts::load(None).unwrap();
        let input = UnitText { title: "Carol", headings: &[], text, header: "" };
        extract(model, &prompts, ExtractionSettings { config: &config, attempt: 0 }, &input).await
    }

    #[tokio::test]
    async fn a_no_ends_gleaning() {
        let model = Scripted::replies(&[BOB, "N"]);
        let extraction = run_forced(&model, 3, "Bob is a clerk.").await.unwrap();
        assert_eq!(extraction.records.len(), 1);
        assert_eq!(model.tasks(), ["extract_graph", "glean_check"]);
        assert_eq!(model.requests()[1].max_tokens, Some(CHECK_TOKENS));
        for none in ["<|COMPLETE|>", "None.", "no", "N", "There are no further entities.", "没有"] {
            let model = Scripted::replies(&[BOB, none]);
            let extraction = run(&model, 3, "Bob is a clerk.").await.unwrap();
            assert_eq!(extraction.records.len(), 1);
            assert_eq!(model.tasks(), ["extract_graph", "glean_continue"], "{none}");
        }
    }

    #[tokio::test]
    async fn an_unusable_gleaning_is_asked_for_once_more_and_then_left() {
        let model = Scripted::replies(&[BOB, "I am afraid that lorem", TIM]);
        let extraction = run(&model, 1, "Bob and Tim.").await.unwrap();
        assert_eq!(model.tasks(), ["extract_graph", "glean_continue", "repair_reply"]);
        assert_eq!(extraction.records.len(), 3);
        let model = Scripted::replies(&[BOB, "lorem", "ipsum"]);
        let extraction = run(&model, 2, "Bob and Tim.").await.unwrap();
        assert_eq!((extraction.records.len(), extraction.problems.len()), (1, 1), "{extraction:?}");
    }

    #[tokio::test]
    async fn nothing_of_a_gleaning_is_lost() {
        let model = Scripted::replies(&[BOB, "Y", TIM, "no"]);
        let extraction = run_forced(&model, 2, "Bob and Tim.").await.unwrap();
        // after the second reply nothing shows any more
        assert_eq!(model.tasks(), ["extract_graph", "glean_check", "glean_continue"]);
        assert_eq!(extraction.records.len(), 3);
        assert_eq!(
            extraction.records.iter().filter(|record| is_described(record)).count(),
            2,
            "no end is added that is there"
        );
        let last = model.requests()[2].messages.clone();
        assert!(
            last[1].content.contains("Text:\n")
                && last.last().unwrap().content.contains("Entities without a relationship: Bob")
        );
        assert_eq!(last.len(), 4, "the question whether more is there is no part of what follows");
    }

    #[tokio::test]
    async fn no_gleaning_is_one_call() {
        let model = Scripted::replies(&[BOB]);
        run(&model, 0, "Bob.").await.unwrap();
        assert_eq!(model.tasks(), ["extract_graph"]);
    }

    #[tokio::test]
    async fn an_unusable_reply_is_asked_for_once_more() {
        let model = Scripted::replies(&["I cannot find a list.", BOB]);
        let extraction = run(&model, 0, "Bob.").await.unwrap();
        assert_eq!((extraction.records.len(), extraction.problems.len()), (1, 1));
        assert!(model.requests()[1].messages.last().unwrap().content.contains("it holds no records"));
        let model = Scripted::replies(&["no", "no"]);
        let error = run(&model, 1, "Bob.").await.unwrap_err();
        assert!(matches!(error, ModelError::Rejected { .. }), "{error}");
        let model = Scripted::replies(&["<|COMPLETE|>"]);
        assert_eq!(run(&model, 0, "…").await.unwrap(), Extraction::default());
    }

    #[tokio::test]
    async fn a_reply_that_is_cut_off_is_continued() {
        let mut calls = 0;
        let model = Scripted::new(move |_| {
            calls += 1;
            Ok(if calls == 1 {
                crate::llm::ChatReply {
                    truncated: true,
                    ..reply("(\"entity\"<|>Bob<|>person<|>Bob is a clerk.)\n(\"entity\"<|>Ti")
                }
            } else {
                reply(TIM)
            })
        });
        let extraction = run(&model, 0, "Bob and Tim.").await.unwrap();
        assert_eq!(model.tasks(), ["extract_graph", "glean_continue"]);
        assert_eq!((extraction.records.len(), extraction.records_lost), (3, 1));
    }

    #[tokio::test]
    async fn a_text_that_is_too_long_is_split() {
        let model = Scripted::new(|request| {
            if request.messages[1].content.len() > 700 {
                return Err(ModelError::TooLong { model: "m".into(), reason: "long".into() });
            }
            Ok(reply(if request.messages[1].content.contains("Tim") { TIM } else { BOB }))
        });
        let text = format!("{}{}", "Bob is a clerk. ".repeat(40), "Tim is his son. ".repeat(40));
        let extraction = run(&model, 0, &text).await.unwrap();
        assert_eq!(extraction.records.len(), 3, "{extraction:?}");
    }

    #[tokio::test]
    async fn a_failed_unit_is_asked_otherwise_the_next_time() {
        let model = Scripted::replies(&[BOB]);
        let (config, prompts) =
            (ExtractionConfig { gleanings: 0, ..ExtractionConfig::default() }, Prompts::load(None).unwrap());
        let input = UnitText { title: "", headings: &[], text: "Bob", header: "" };
        extract(&model, &prompts, ExtractionSettings { config: &config, attempt: 2 }, &input).await.unwrap();
        assert_eq!(model.requests()[0].temperature, Some(0.4));
    }

    #[test]
    fn a_fingerprint_changes_with_what_decides_the_records() {
        let prompts = Prompts::load(None).unwrap();
        let config = ExtractionConfig::default();
        let base = fingerprint(&config, &prompts, "m");
        assert_eq!(
            base,
            fingerprint(
                &ExtractionConfig { claim_description: "x".into(), linking: false, ..config.clone() },
                &prompts,
                "m"
            )
        );
        for other in [
            fingerprint(&config, &prompts, "n"),
            fingerprint(&ExtractionConfig { gleanings: 2, ..config.clone() }, &prompts, "m"),
            fingerprint(&ExtractionConfig { gleaning_check: true, ..config.clone() }, &prompts, "m"),
            fingerprint(&ExtractionConfig { claims: true, ..config.clone() }, &prompts, "m"),
            fingerprint(&ExtractionConfig { examples: "Text: a".into(), ..config.clone() }, &prompts, "m"),
            fingerprint(&ExtractionConfig { domain: "law".into(), ..config.clone() }, &prompts, "m"),
            fingerprint(&ExtractionConfig { language: "German".into(), ..config.clone() }, &prompts, "m"),
            fingerprint(
                &ExtractionConfig {
                    schema: crate::config::SchemaConfig { typed: true, ..Default::default() },
                    ..config.clone()
                },
                &prompts,
                "m",
            ),
            fingerprint(&ExtractionConfig { entity_types: vec!["person".into()], ..config }, &prompts, "m"),
        ] {
            assert_ne!(base, other);
        }
    }
}
