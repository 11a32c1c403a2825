//! Fields of an entry by name, whatever file they stand in.

use super::bounded_json::MAX_VALUES;
use crate::domain::{EntrySource, EntryStatus, Ids, LibraryEntry, fingerprint};
use crate::json::value_count;
use crate::language::{Language, language_of, shortened};
use std::collections::BTreeMap;

/// Characters of a part that a problem shows.
const SHOWN_CHARACTERS: usize = 60;

/// The fields of one entry as a file gives them.
#[derive(Debug, Default)]
pub(super) struct Fields {
    entry: LibraryEntry,
    /// Whether the file says a status.
    has_status: bool,
    source: Option<EntrySource>,
}

/// A day, or nothing.
fn day(text: &str) -> Result<Option<String>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    chrono::NaiveDate::parse_from_str(text, "%Y-%m-%d")
        .map(|day| Some(day.format("%Y-%m-%d").to_string()))
        .map_err(|_wrong| format!("{text:?} is no day; write it as 2026-11-23"))
}

/// Parts of a list that stands in one cell: lines, or what `|` parts; or an array of JSON, where a part holds these.
pub(super) fn parts(text: &str) -> Vec<String> {
    if text.starts_with('[')
        && let Ok(parts) = serde_json::from_str::<Vec<String>>(text)
    {
        return parts;
    }
    let parts = text.split(['|', '\n']).map(str::trim).filter(|part| !part.is_empty());
    parts.map(str::to_owned).collect()
}

/// How many parts a list in one cell has at most, known before any is taken.
fn parts_at_most(text: &str) -> usize {
    if text.starts_with('[') { value_count(text.as_bytes()) } else { text.matches(['|', '\n']).count() + 1 }
}

/// Refuses a list of more parts than a row may have.
///
/// # Errors
/// It has more; the reason.
pub(super) fn ensure_few(name: &str, parts: usize) -> Result<(), String> {
    if parts > MAX_VALUES {
        return Err(format!("{name} has more than {MAX_VALUES} parts"));
    }
    Ok(())
}

/// Metadata that stands in one cell: `key=value; key=value`, or an object of JSON.
fn metadata(text: &str) -> Result<BTreeMap<String, String>, String> {
    // an object's keys count as its values do
    ensure_few("metadata", value_count(text.as_bytes()) / 2)?;
    if let Ok(object) = serde_json::from_str(text) {
        return Ok(object);
    }
    ensure_few("metadata", text.matches([';', '|']).count() + 1)?;
    let pair = |part: &str| {
        let (key, value) = part.split_once('=').ok_or_else(|| {
            format!(
                "metadata {:?} has no \"=\"; write key=value; key=value",
                shortened(part, SHOWN_CHARACTERS)
            )
        })?;
        Ok((key.trim().to_owned(), value.trim().to_owned()))
    };
    text.split([';', '|']).map(pair).collect()
}

/// What the columns are called, in English and Chinese.
pub(super) fn name(written: &str) -> String {
    let flat = written.trim().to_lowercase().replace([' ', '-'], "_");
    match flat.as_str() {
        "key" | "编号" => "id",
        "q" | "问题" | "标准问题" | "标准问" => "question",
        "a" | "答案" | "回答" | "标准答案" => "answer",
        "variant" | "alternate_phrasings" | "similar_questions" | "相似问" | "相似问法" | "相似问题" => {
            "variants"
        }
        "tag" | "标签" => "tags",
        "entities" | "terms" | "实体" | "关键词" => "terms",
        "follow_up" | "followups" | "follow_up_prompts" | "后续问题" => "follow_ups",
        "lang" | "语言" => "language",
        "valid" | "有效期" => "validity",
        "有效期起" | "生效日期" | "生效日" | "开始日期" => "valid_from",
        "valid_to" | "expires" | "expiry" | "expiry_date" | "有效期至" | "有效期止" | "失效日期"
        | "截止日期" | "到期日" => "valid_until",
        other => other,
    }
    .to_owned()
}

impl Fields {
    /// Takes a field that is a list.
    pub(super) fn list(&mut self, name: &str, items: Vec<String>) {
        let entry = &mut self.entry;
        match name {
            "variants" => entry.variants.extend(items),
            "tags" => entry.tags.extend(items),
            "terms" => entry.terms.extend(items),
            "follow_ups" => entry.follow_ups.extend(items),
            // other lists, such as test questions, are no part of the entry
            _ => {}
        }
    }

    /// Takes a field that is a text; one that no entry has becomes metadata.
    pub(super) fn text(&mut self, name: &str, value: &str) -> Result<(), String> {
        let value = value.trim();
        if value.is_empty() {
            return Ok(());
        }
        let entry = &mut self.entry;
        match name {
            "id" => value.clone_into(&mut entry.key),
            "question" => value.clone_into(&mut entry.question),
            "answer" => value.clone_into(&mut entry.answer),
            "language" => value.clone_into(&mut entry.language),
            "author" => value.clone_into(&mut entry.author),
            "variants" | "tags" | "terms" | "follow_ups" => {
                ensure_few(name, parts_at_most(value))?;
                self.list(name, parts(value));
            }
            "valid_from" => entry.valid_from = day(value)?,
            "valid_until" => entry.valid_until = day(value)?,
            "validity" => {
                let (from, until) = value
                    .split_once("..")
                    .ok_or_else(|| format!("validity {value:?} is no range; write 2026-01-01..2026-12-31"))?;
                (entry.valid_from, entry.valid_until) = (day(from)?, day(until)?);
            }
            "status" => {
                self.has_status = true;
                entry.status = EntryStatus::from_name(&value.to_lowercase())
                    .ok_or_else(|| format!("status {value:?} is not draft, approved or retired"))?;
            }
            "source" => self.source = EntrySource::from_name(value),
            "metadata" => entry.metadata.extend(metadata(value)?),
            _ => {
                entry.metadata.insert(name.to_owned(), value.to_owned());
            }
        }
        Ok(())
    }

    /// Takes a key of metadata with its value, whatever it is called.
    pub(super) fn metadata(&mut self, key: &str, value: &str) {
        self.entry.metadata.insert(key.to_owned(), value.to_owned());
    }

    /// The citations of an exported entry.
    pub(super) fn citations(&mut self, citations: Vec<crate::domain::AnswerCitation>) {
        self.entry.citations = citations;
    }

    /// Whether the file says a status.
    pub(super) fn has_status(&self) -> bool {
        self.has_status
    }

    /// The entry, where it has a question and an answer.
    pub(super) fn entry(self, ids: &Ids) -> Result<LibraryEntry, String> {
        let mut entry = self.entry;
        entry.source = self.source.unwrap_or(EntrySource::Imported);
        if entry.question.is_empty() {
            return Err("it has no question".to_owned());
        }
        if entry.key.is_empty() {
            entry.key = key_of(&entry.question);
        }
        if entry.language.is_empty() {
            language_tag(&entry.question).clone_into(&mut entry.language);
        }
        check(&entry)?;
        entry.id = ids.question(&entry.key);
        for list in [&mut entry.tags, &mut entry.terms] {
            list.sort_unstable();
            list.dedup();
        }
        let mut seen = std::collections::BTreeSet::new();
        seen.insert(entry.question.clone());
        entry.variants.retain(|variant| seen.insert(variant.clone()));
        Ok(entry)
    }
}

/// Bytes of a question, and of an answer: more than anybody reads, and as much as a request brings.
const LONGEST_QUESTION: usize = 10_000;
const LONGEST_ANSWER: usize = 1_000_000;

/// What no entry may be: given without an answer or with one that nobody reads, valid on no day, in a language that is
/// no tag.
pub(super) fn check(entry: &LibraryEntry) -> Result<(), String> {
    for (what, text, most) in
        [("question", &entry.question, LONGEST_QUESTION), ("answer", &entry.answer, LONGEST_ANSWER)]
    {
        if text.len() > most {
            return Err(format!("the {what} is longer than {most} bytes; shorten it"));
        }
    }
    if entry.question.trim().is_empty() {
        return Err("it has no question".to_owned());
    }
    if entry.answer.trim().is_empty() && entry.status != EntryStatus::Draft {
        return Err(format!("{:?} has no answer", shortened(&entry.question, SHOWN_CHARACTERS)));
    }
    if let (Some(from), Some(until)) = (&entry.valid_from, &entry.valid_until)
        && from > until
    {
        return Err(format!("it is valid from {from} until {until}, which is no day at all"));
    }
    let mut parts = entry.language.split('-');
    let first = parts.next().unwrap_or_default();
    let is_tag = (2..=3).contains(&first.len())
        && first.chars().all(|c| c.is_ascii_alphabetic())
        && parts.all(|part| (1..=8).contains(&part.len()) && part.chars().all(|c| c.is_ascii_alphanumeric()));
    if !is_tag {
        return Err(format!(
            "language {:?} is no tag of a language; write en, zh or zh-Hant",
            entry.language
        ));
    }
    Ok(())
}

/// The id of an entry that nobody gave one.
pub(super) fn key_of(question: &str) -> String {
    format!("q-{}", fingerprint(&[question]).get(..8).unwrap_or_default())
}

/// The language of a question as entries call it.
pub(super) fn language_tag(text: &str) -> &'static str {
    match language_of(text) {
        Language::English => "en",
        Language::Chinese => "zh",
        Language::Other => "und",
    }
}
