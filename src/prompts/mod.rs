//! Prompt templates: `prompts/*.md`, minijinja, overridable from a folder.
//!
//! A template is one conversation: lines `=== system ===` and `=== user ===` begin its messages. The parts are cut
//! before anything is filled in, so no document can begin a message. A value is ours or `Data`, which others wrote:
//! data comes out in a fence wherever a template writes it. Filters: `fenced` puts a text of ours into one as well,
//! `line` makes one line of a text, `json` writes JSON; what else there is stands in `bounds`.

mod names;
mod bounds;
mod data;
mod prompt;
mod indexing;
mod searching;
mod rating;
mod tuning;
mod variables;
#[cfg(test)]
mod tests;

pub use data::QuestionText;
pub(crate) use data::{Data, PromptSetting, fenced as fence, record_text, short_line};
pub(crate) use indexing::{
    CommunityReport, CommunityReports, ExtractFacts, ExtractGraph, GLEAN_CHECK, GleanContinue, READ_PAGE,
    RepairReply, SameEntity, SummariseDescriptions, SummariseTexts,
};
pub use names::PromptName;
pub(crate) use prompt::Prompt;
pub(crate) use rating::{JudgeAnswers, RateAnswer, Strictness};
pub(crate) use searching::{
    AnswerFrom, AnswerQuestion, BatchOf, DraftQuestions, DriftHypothetical, DriftLocal, DriftPrimer,
    DriftReduce, GlobalReduce, MapBatch, MatchQuestion, QuestionGeneration, QuestionWords, RateReports,
    ReaderAnswer, ReaderChunk, ReaderFacts, ReaderNeighbours, ReaderNodes, ReaderPlan, RestatedStatements,
    RewriteQuestion, TableForm,
};
pub(crate) use tuning::{TuneField, TuneMerge, TuneQuestions};
pub(crate) use variables::variables;

use crate::domain::fingerprint;
use crate::language::unbroken;
use crate::llm::{Message, ModelError, Speaker};
use crate::small_file;
use anyhow::{Context, Result, bail, ensure};
use bounds::{FUEL, LONGEST_MESSAGE, LONGEST_VALUE, Written};
use data::{FencedData, PLACE};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};
use names::PIECES;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Names that templates may use without being given them.
const GLOBALS: [&str; 1] = ["loop"];

/// All prompts, checked and ready to be filled in.
#[derive(Debug)]
pub struct Prompts {
    environment: Environment<'static>,
    /// Speakers of a prompt's messages; their templates are named `prompt/0`, `prompt/1`, ….
    speakers: BTreeMap<PromptName, Vec<Speaker>>,
    fingerprints: BTreeMap<PromptName, String>,
}

impl Prompts {
    /// The built-in prompts, each replaced by `DIR/name.md` where there is such a file.
    ///
    /// # Errors
    /// Names the file and what is wrong with it: no template, one that builds values, a variable that is unknown or
    /// missing, no prompt of that name.
    pub fn load(dir: Option<&Path>) -> Result<Self> {
        let overrides = dir.map(read_overrides).transpose()?.unwrap_or_default();
        let mut environment = Environment::empty();
        // a template of a project is not ours: one that never ends is an error
        environment.set_fuel(Some(FUEL));
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).build()?);
        bounds::furnish(&mut environment);
        let mut prompts = Self { environment, speakers: BTreeMap::new(), fingerprints: BTreeMap::new() };
        for &name in PromptName::all() {
            let replaced = overrides.get(name.as_str());
            let file = match (dir, replaced) {
                (Some(dir), Some(_)) => dir.join(name.as_str()).with_extension("md").display().to_string(),
                _ => format!("built-in {}.md", name.as_str()),
            };
            let source = replaced.map_or(name.source(), String::as_str);
            prompts.add(name, source).with_context(|| format!("in prompt {file}"))?;
        }
        Ok(prompts)
    }

    /// The messages of a prompt.
    ///
    /// # Errors
    /// The template does something that cannot be done with its values, or grows beyond 16 MB.
    pub(crate) fn render<P: Prompt>(&self, prompt: &P) -> Result<Vec<Message>> {
        let name = prompt.name();
        let (context, blocks) = with_places(&Value::from(Serde(prompt)))
            .with_context(|| format!("cannot fill in prompt {}", name.as_str()))?;
        let speakers = self.speakers.get(&name).map(Vec::as_slice).unwrap_or_default();
        let mut messages = Vec::with_capacity(speakers.len());
        for (place, speaker) in speakers.iter().enumerate() {
            let template = self.environment.get_template(&name_part(name, place))?;
            let mut written = Written::default();
            template
                .render_captured_to(&context, &mut written)
                .with_context(|| format!("cannot fill in prompt {}", name.as_str()))?;
            let text = put_blocks(&written.text()?, &blocks)
                .with_context(|| format!("in prompt {}", name.as_str()))?;
            messages.push(Message::of(*speaker, text.trim()));
        }
        Ok(messages)
    }

    /// As [`Self::render`], for those who know no errors but a model's.
    ///
    /// # Errors
    /// Rejected, by the prompts.
    pub(crate) fn messages<P: Prompt>(&self, prompt: &P) -> Result<Vec<Message>, ModelError> {
        self.render(prompt).map_err(|error| ModelError::Rejected {
            endpoint: "prompts".to_owned(),
            reason: format!("{error:#}"),
        })
    }

    /// Changes when the template of a prompt, or a piece that prompts include, does.
    pub(crate) fn fingerprint(&self, name: PromptName) -> &str {
        self.fingerprints.get(&name).map_or("", String::as_str)
    }

    fn add(&mut self, name: PromptName, source: &str) -> Result<()> {
        if PIECES.contains(&name) {
            bounds::check(source.trim())?;
            self.environment
                .add_template_owned(name.as_str(), source.trim().to_owned())
                .map_err(template_error)?;
        }
        let parts = cut_into_parts(source);
        let mut used = BTreeSet::new();
        for (place, (_, part)) in parts.iter().enumerate() {
            bounds::check(part)?;
            let part_name = name_part(name, place);
            self.environment.add_template_owned(part_name.clone(), part.clone()).map_err(template_error)?;
            used.extend(self.environment.get_template(&part_name)?.undeclared_variables(false));
        }
        check_variables(name, &used)?;
        let mut all = PIECES.map(|piece| self.fingerprint(piece)).to_vec();
        all.push(source);
        let hash = fingerprint(&all);
        self.fingerprints.insert(name, hash);
        self.speakers.insert(name, parts.into_iter().map(|(speaker, _)| speaker).collect());
        Ok(())
    }
}

fn name_part(name: PromptName, place: usize) -> String {
    format!("{}/{place}", name.as_str())
}

fn read_overrides(dir: &Path) -> Result<BTreeMap<String, String>> {
    let entries = std::fs::read_dir(dir)
        .with_context(|| format!("cannot read [llm] prompts folder {}", dir.display()))?;
    let mut overrides = BTreeMap::new();
    for entry in entries {
        let path =
            entry.with_context(|| format!("cannot read [llm] prompts folder {}", dir.display()))?.path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
        let known: Vec<&str> = PromptName::all().iter().map(|name| name.as_str()).collect();
        if !known.contains(&name.as_str()) {
            bail!("{} is no prompt of this program; there are {}", path.display(), known.join(", "));
        }
        let text =
            small_file::read_text(&path).with_context(|| format!("cannot read prompt {}", path.display()))?;
        overrides.insert(name, text);
    }
    Ok(overrides)
}

/// The messages of a template; without a marker it is one message of the user.
fn cut_into_parts(source: &str) -> Vec<(Speaker, String)> {
    let mut parts: Vec<(Speaker, String)> = Vec::new();
    for line in source.lines() {
        let speaker = match line.trim() {
            "=== system ===" => Speaker::System,
            "=== user ===" => Speaker::User,
            "=== assistant ===" => Speaker::Assistant,
            _ => {
                if parts.is_empty() && !line.trim().is_empty() {
                    parts.push((Speaker::User, String::new()));
                }
                if let Some((_, part)) = parts.last_mut() {
                    part.push_str(line);
                    part.push('\n');
                }
                continue;
            }
        };
        parts.push((speaker, String::new()));
    }
    parts
}

fn check_variables(name: PromptName, used: &BTreeSet<String>) -> Result<()> {
    let (required, optional) = variables(name);
    let known: Vec<&str> = required.iter().chain(&optional).map(String::as_str).collect();
    let is_unknown = |name: &&str| !known.contains(name) && !GLOBALS.contains(name);
    let unknown: Vec<&str> = used.iter().map(String::as_str).filter(is_unknown).collect();
    if !unknown.is_empty() {
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        bail!("unknown variable {}; there are {known}", unknown.join(", "));
    }
    let missing: Vec<&str> =
        required.iter().map(String::as_str).filter(|name| !used.contains(*name)).collect();
    if !missing.is_empty() {
        bail!(
            "variable {} is missing; write {{{{ {} }}}} where it belongs",
            missing.join(", "),
            missing.join(" }} {{ ")
        );
    }
    Ok(())
}

/// The template engine's error with its line.
fn template_error(error: minijinja::Error) -> anyhow::Error {
    let line = error.line().map(|line| format!(" (line {line} of its message)")).unwrap_or_default();
    anyhow::Error::new(error).context(format!("not a template{line}"))
}

/// A prompt's values, those of others numbered, and the texts behind the numbers.
fn with_places(values: &Value) -> Result<(Value, Vec<String>)> {
    let mut blocks: Vec<String> = Vec::new();
    let mut context: BTreeMap<String, Value> = BTreeMap::new();
    for key in values.try_iter()? {
        let value = values.get_item(&key)?;
        let value = if let Some(block) = value.downcast_object_ref::<FencedData>() {
            blocks.push(block.text.clone());
            Value::from_object(FencedData::new(block.text.clone(), blocks.len() - 1))
        } else {
            match value.as_str() {
                Some(text) if text.contains(PLACE) => Value::from(text.replace(PLACE, "")),
                _ => value,
            }
        };
        context.insert(key.to_string(), value);
    }
    Ok((Value::from_pairs(context), blocks))
}

/// A message with its places filled: each block on lines of its own.
fn put_blocks(rendered: &str, blocks: &[String]) -> Result<String> {
    let mut text = String::with_capacity(rendered.len());
    let mut parts = rendered.split(PLACE);
    text.push_str(parts.next().unwrap_or_default());
    while let Some(number) = parts.next() {
        let block = number.parse::<usize>().ok().and_then(|number| blocks.get(number));
        let (Some(block), Some(rest)) = (block, parts.next()) else {
            bail!("a template changes what others wrote; write such a variable alone, as {{{{ text }}}}");
        };
        text.truncate(text.trim_end_matches([' ', '\t']).len());
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&data::fenced(block));
        if !rest.starts_with('\n') {
            text.push('\n');
        }
        text.push_str(rest);
        ensure!(text.len() <= LONGEST_MESSAGE, bounds::too_long());
    }
    Ok(text)
}

/// What others wrote stays as it is, for it is fenced wherever it is written; a text of ours is put into a fence.
fn fenced(value: &Value) -> Result<Value, minijinja::Error> {
    changed(value, data::fenced)
}

/// A text on one line.
fn line(value: &Value) -> Result<Value, minijinja::Error> {
    changed(value, unbroken)
}

fn changed(value: &Value, change: fn(&str) -> String) -> Result<Value, minijinja::Error> {
    if value.downcast_object_ref::<FencedData>().is_some() {
        return Ok(value.clone());
    }
    limited(change(&value.to_string()))
}

fn json(value: &Value) -> Result<Value, minijinja::Error> {
    if value.downcast_object_ref::<FencedData>().is_some() {
        return Ok(value.clone());
    }
    let text = serde_json::to_string(value)
        .map_err(|error| minijinja::Error::new(minijinja::ErrorKind::BadSerialization, error.to_string()))?;
    limited(text)
}

/// The parts of a list in one text.
fn join(value: &Value, between: Option<&str>) -> Result<Value, minijinja::Error> {
    let mut text = String::new();
    for (place, part) in value.try_iter()?.enumerate() {
        if place > 0 {
            text.push_str(between.unwrap_or_default());
        }
        text.push_str(&part.to_string());
        if text.len() > LONGEST_VALUE {
            break;
        }
    }
    limited(text)
}

/// A text that a filter made, if it is not too long.
fn limited(text: String) -> Result<Value, minijinja::Error> {
    if text.len() > LONGEST_VALUE {
        let reason = format!("a value grows beyond {} MB", LONGEST_VALUE >> 20);
        return Err(minijinja::Error::new(minijinja::ErrorKind::InvalidOperation, reason));
    }
    Ok(Value::from(text))
}
