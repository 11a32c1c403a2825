//! A model's reply into records. Untrusted text: every reply gives records and problems, never an error; linear time.
//!
//! The reply is cut into records at line ends, `##`, and wherever a record begins; a record goes on over line ends
//! until it has its fields. What each record holds is decided by the number and form of its fields, so missing
//! delimiters, types and strengths do no harm. Replies in JSON are read as well.

use super::fields::{self, MARK};
use super::sentiments;
use crate::domain::{
    ClaimRecord, ClaimStatus, EntityRecord, MentionSentiment, Record, RelationshipRecord, name_key,
};
use crate::llm::reply::read_all_json;
use regex::Regex;
use serde_json::Value;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Characters of a name beyond which it is none.
const MAX_NAME_CHARACTERS: usize = 200;
/// Problems that are told one by one.
const MAX_PROBLEMS: usize = 20;
/// Values of JSON in one reply.
const MAX_JSON_VALUES: usize = 10_000;

/// What a reply says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed {
    /// The records, each once, in order; both ends of every relationship and claim are among the entities.
    pub records: Vec<Record>,
    /// What is said for or against things, by their names.
    pub sentiments: Vec<(String, MentionSentiment)>,
    /// What was wrong, for people and for asking again.
    pub problems: Vec<String>,
    /// Records that stood there and could not be understood.
    pub records_lost: u64,
    /// Whether the completion mark was there.
    pub complete: bool,
}

/// `<|COMPLETE|>` and what models make of it.
static COMPLETION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)[<＜]?\s*\\?[|｜]+\s*(?:complete|completed|完成)\s*[|｜]+\s*[>＞]?|<\s*complete\s*>")
        .ok()
});
/// The beginning of a record inside a line: parenthesis, kind, delimiter.
static BEGINNING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let kinds = "entity|entities|relationship|relationships|relation|claim|claims|covariate|sentiment|sentiments|情感|实体|實體|关系|關係|声明|聲明|主张|断言";
    Regex::new(&format!(
        r#"(?i)[(（]\s*["'“”「`*]*\s*(?:{kinds})\s*(?:["'”」`*]+\s*(?:[\x1f,，|｜\t]|["“「])|[\x1f,，|｜\t])"#
    ))
    .ok()
});

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TupleKind {
    Entity,
    Relationship,
    Claim,
    Sentiment,
}

/// Reads a reply.
pub fn parse(reply: &str) -> Parsed {
    let mut parsed = parse_part(reply);
    add_missing_ends(&mut parsed.records);
    parsed
}

/// Reads one reply of several that belong together: the ends of its relationships may stand in another one.
pub(super) fn parse_part(reply: &str) -> Parsed {
    let mut reader = RecordReader::default();
    let text = reply.replace("&lt;|&gt;", "<|>");
    let (text, complete) = without_completion(&text);
    reader.parsed.complete = complete;
    let text = text.as_ref();
    if !looks_like_json(text) || !reader.read_json(text) {
        reader.read_tuples(text);
    }
    reader.finish()
}

/// The text without completion marks, and whether there was one.
fn without_completion(text: &str) -> (std::borrow::Cow<'_, str>, bool) {
    let Some(mark) = COMPLETION.as_ref() else {
        return (text.into(), false);
    };
    let without = mark.replace_all(text, "\n");
    let complete = matches!(without, std::borrow::Cow::Owned(_));
    (without, complete)
}

fn looks_like_json(text: &str) -> bool {
    let text = text.trim_start();
    let unfenced =
        text.strip_prefix("```json").or_else(|| text.strip_prefix("```")).unwrap_or(text).trim_start();
    unfenced.starts_with('{')
        || unfenced.strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with(['{', '[']))
        || text.contains("```json")
        || (text.contains("\n{") && !text.contains("<|"))
}

#[derive(Default)]
struct RecordReader {
    parsed: Parsed,
    seen: HashSet<String>,
    repeated: u64,
    more_problems: u64,
}

/// A record whose lines are still being gathered.
#[derive(Default)]
struct PendingRecord {
    text: String,
    delimiters: usize,
    parenthesis: bool,
    closed: bool,
    kind: Option<TupleKind>,
}

impl PendingRecord {
    fn add(&mut self, line: &str) {
        if self.text.is_empty() {
            self.parenthesis = line.trim_start_matches(['*', '`', '-', '•', ' ']).starts_with(['(', '（']);
            self.kind = kind_of_line(line);
        } else {
            self.text.push(' ');
        }
        self.text.push_str(line);
        self.delimiters += line.chars().filter(|c| is_delimiter(*c)).count();
        self.closed = line.trim_end_matches([' ', ',', ';', '*', '`', '#', '.']).ends_with([')', '）']);
    }

    /// Whether nothing more is to come.
    fn is_whole(&self) -> bool {
        let least = match self.kind {
            Some(TupleKind::Entity) => 3,
            Some(TupleKind::Relationship) => 4,
            Some(TupleKind::Claim) => 8,
            Some(TupleKind::Sentiment) => 5,
            None => 1,
        };
        if self.parenthesis { self.closed && self.delimiters + 1 >= least } else { self.delimiters >= least }
    }
}

fn is_delimiter(c: char) -> bool {
    matches!(c, MARK | '|' | '｜' | ',' | '，' | '\t')
}

fn kind_of_word(word: &str) -> Option<TupleKind> {
    match word.to_lowercase().as_str() {
        "entity" | "entities" | "实体" | "實體" => Some(TupleKind::Entity),
        "relationship" | "relationships" | "relation" | "关系" | "關係" => Some(TupleKind::Relationship),
        "claim" | "claims" | "covariate" | "声明" | "聲明" | "主张" | "断言" => {
            Some(TupleKind::Claim)
        }
        "sentiment" | "sentiments" | "情感" => Some(TupleKind::Sentiment),
        _ => None,
    }
}

fn kind_of_line(line: &str) -> Option<TupleKind> {
    let line = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    let word: String = line.chars().take_while(|c| c.is_alphabetic()).take(20).collect();
    kind_of_word(&word)
}

impl RecordReader {
    fn problem(&mut self, problem: impl Into<String>) {
        if self.parsed.problems.len() < MAX_PROBLEMS {
            self.parsed.problems.push(problem.into());
        } else {
            self.more_problems += 1;
        }
    }

    fn lost(&mut self, why: &str, record: &str) {
        self.parsed.records_lost += 1;
        let shown: String = record.chars().map(|c| if c == MARK { '|' } else { c }).take(80).collect();
        self.problem(format!("{why}: {}", shown.trim()));
    }

    fn read_tuples(&mut self, text: &str) {
        let text = fields::mark_delimiters(text);
        let marked = match BEGINNING.as_ref() {
            Some(beginning) => beginning.replace_all(&text, "\n$0"),
            None => text.as_str().into(),
        };
        let mut gathered = PendingRecord::default();
        let mut headed: Option<TupleKind> = None;
        for line in marked.split('\n').flat_map(|line| line.split("##")) {
            let line = line.trim().trim_start_matches('#').trim();
            let begins = begins_record(line);
            if begins && !gathered.text.is_empty() {
                self.record(&std::mem::take(&mut gathered), headed);
            }
            if line.is_empty() || line.starts_with("```") {
                if gathered.is_whole() {
                    self.record(&std::mem::take(&mut gathered), headed);
                }
                continue;
            }
            if gathered.text.is_empty() && !begins && !line.contains(MARK) {
                // prose, or a heading that says what follows
                headed = kind_of_line(line).or(headed);
                continue;
            }
            gathered.add(line);
            if gathered.is_whole() {
                self.record(&std::mem::take(&mut gathered), headed);
            }
        }
        if !gathered.text.is_empty() {
            self.last_record(&gathered, headed);
        }
    }

    /// A record at the end of a reply: where the reply was cut off, half a sentence is not evidence.
    fn last_record(&mut self, gathered: &PendingRecord, headed: Option<TupleKind>) {
        let whole = self.parsed.complete
            || !gathered.parenthesis
            || gathered.closed
            || gathered.text.trim_end().ends_with(['.', '。', '!', '?', '！', '？', '"', '”']);
        let strength_last = gathered.kind == Some(TupleKind::Relationship)
            && fields::split(&gathered.text).last().is_some_and(|field| fields::is_strength(field));
        if whole || strength_last {
            self.record(gathered, headed);
        } else {
            self.lost("the reply is cut off in a record", &gathered.text);
        }
    }

    fn record(&mut self, gathered: &PendingRecord, headed: Option<TupleKind>) {
        let all = fields::split(&gathered.text);
        if gathered.kind.is_none() && all.len() < 3 {
            // a line of prose with a bar in it
            return;
        }
        let (kind, mut values) = match gathered.kind {
            Some(kind) => (kind, without_kind(&all)),
            None => match kind_by_form(&all, headed) {
                Some(kind) => (kind, all),
                None => return self.lost("a record of unknown kind", &gathered.text),
            },
        };
        let least = match kind {
            TupleKind::Entity => 3,
            TupleKind::Relationship => 4,
            TupleKind::Claim => 8,
            TupleKind::Sentiment => 5,
        };
        if values.len() < least {
            values = fields::split_quoted(&values);
        }
        self.fields(kind, &values, &gathered.text);
    }

    /// A record by its raw fields, the kind's word left out.
    fn fields(&mut self, kind: TupleKind, raw: &[String], source: &str) {
        let last = raw.len().saturating_sub(1);
        let mut values: Vec<String> = raw
            .iter()
            .enumerate()
            .map(
                |(place, field)| if place == last { fields::clean_last(field) } else { fields::clean(field) },
            )
            .collect();
        let exact = match kind {
            TupleKind::Entity => matches!(values.len(), 3 | 4),
            TupleKind::Relationship | TupleKind::Sentiment => values.len() == 5,
            TupleKind::Claim => matches!(values.len(), 8 | 9),
        };
        // doubled delimiters leave empty fields
        if !exact || values.first().is_some_and(String::is_empty) {
            values.retain(|value| !value.is_empty());
        }
        let record = match kind {
            TupleKind::Entity => entity(&values),
            TupleKind::Relationship => relationship(&values),
            TupleKind::Claim => claim(&values),
            TupleKind::Sentiment => {
                return match sentiments::read(&values) {
                    Ok(sentiment) => self.parsed.sentiments.push(sentiment),
                    Err(why) => self.lost(why, source),
                };
            }
        };
        match record {
            Ok(record) => self.keep(record),
            Err(why) => self.lost(why, source),
        }
    }

    fn keep(&mut self, record: Record) {
        let key = format!("{record:?}");
        if self.seen.insert(key) { self.parsed.records.push(record) } else { self.repeated += 1 }
    }

    /// Reads JSON; false where it holds no records.
    fn read_json(&mut self, text: &str) -> bool {
        let values = read_all_json(text, MAX_JSON_VALUES);
        for value in &values {
            self.value(value);
        }
        !self.parsed.records.is_empty()
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Array(items) => {
                let texts: Option<Vec<String>> = items.iter().map(scalar).collect();
                if let Some(texts) = texts.filter(|texts| texts.len() >= 3) {
                    match texts.first().and_then(|word| kind_of_word(word.trim())) {
                        Some(kind) => self.fields(kind, texts.get(1..).unwrap_or_default(), &texts.join(" ")),
                        None => self.lost("a list of unknown kind", &texts.join(" ")),
                    }
                    return;
                }
                for item in items {
                    self.value(item);
                }
            }
            Value::Object(fields) if !self.object(value) => {
                for field in fields.values().filter(|field| field.is_array() || field.is_object()) {
                    self.value(field);
                }
            }
            _ => {}
        }
    }

    /// An object that is a record; false where it is none.
    fn object(&mut self, value: &Value) -> bool {
        let get = |names: &[&str]| {
            names.iter().find_map(|name| scalar(value.get(name)?)).map(|text| fields::clean(&text))
        };
        let description = get(&[
            "description",
            "relationship_description",
            "entity_description",
            "claim_description",
            "描述",
        ])
        .unwrap_or_default();
        let ends = get(&["source", "source_entity", "from", "head", "源"]).zip(get(&[
            "target",
            "target_entity",
            "to",
            "tail",
            "目标",
        ]));
        if let Some((source, target)) = ends {
            let kind =
                get(&["type", "relationship_type", "relation", "relationship", "关系"]).unwrap_or_default();
            let strength = get(&["strength", "relationship_strength", "weight", "强度"]).unwrap_or_default();
            self.fields(TupleKind::Relationship, &[source, target, kind, description, strength], "an object");
            return true;
        }
        if let Some(subject) = get(&["subject", "subject_entity"]) {
            let object = get(&["object", "object_entity"]).unwrap_or_default();
            if let Some(predicate) = get(&["predicate"]) {
                self.fields(
                    TupleKind::Relationship,
                    &[subject, object, predicate, description, String::new()],
                    "an object",
                );
                return true;
            }
            let claim = Record::Claim(ClaimRecord {
                subject,
                object: Some(object).filter(|object| !fields::is_nothing(object)),
                kind: get(&["claim_type", "type"]).unwrap_or_default(),
                status: ClaimStatus::from_text(&get(&["status", "claim_status"]).unwrap_or_default()),
                description,
                start_date: fields::date(
                    &get(&["start_date", "start", "claim_start_date"]).unwrap_or_default(),
                ),
                end_date: fields::date(&get(&["end_date", "end", "claim_end_date"]).unwrap_or_default()),
                source_text: get(&["source_text", "quote", "claim_source_text"]).unwrap_or_default(),
                holder: get(&["holder", "speaker", "said_by"]).unwrap_or_default(),
            });
            self.keep(claim);
            return true;
        }
        if let Some(name) = get(&["name", "entity_name", "title", "entity", "名称"]) {
            let kind = get(&["type", "entity_type", "kind", "类型"]).unwrap_or_default();
            let others =
                ["aliases", "other_names", "also_known_as", "别名"].iter().find_map(|name| value.get(name));
            let others = match others {
                Some(Value::Array(names)) => names.iter().filter_map(scalar).collect::<Vec<_>>().join("; "),
                Some(one) => scalar(one).unwrap_or_default(),
                None => String::new(),
            };
            let mut raw = vec![name, kind, description];
            raw.extend(Some(others).filter(|others| !others.is_empty()));
            self.fields(TupleKind::Entity, &raw, "an object");
            return true;
        }
        false
    }

    fn finish(mut self) -> Parsed {
        if self.repeated > 0 {
            let repeated = self.repeated;
            self.problem(format!("{repeated} records repeat others"));
        }
        if self.more_problems > 0 {
            self.parsed.problems.push(format!("{} further problems", self.more_problems));
        }
        self.parsed
    }
}

/// Whether a line is the beginning of a record.
fn begins_record(line: &str) -> bool {
    let line = line.trim_start_matches(['*', '`', '-', '•', ' ']);
    let bare = line.trim_start_matches(['(', '（', '"', '“', '「', '\'', '*', ' ']);
    let word: String = bare.chars().take_while(|c| c.is_alphabetic()).take(20).collect();
    let behind =
        bare.get(word.len()..).unwrap_or_default().trim_start_matches(['"', '”', '」', '\'', '*', '`', ' ']);
    if kind_of_word(&word).is_some() {
        // in parentheses a comma or the next quote will do; without them a line of prose may begin so
        let in_parentheses = line.starts_with(['(', '（']);
        return behind.starts_with([MARK, '|', '｜', '\t'])
            || (in_parentheses && (behind.is_empty() || behind.starts_with([',', '，', '“', '「'])))
            || (line.starts_with(['"', '“']) && behind.starts_with([',', '，']));
    }
    line.starts_with(['(', '（']) && line.contains(MARK)
}

/// The fields behind the kind's word, which may have lost its delimiter.
fn without_kind(all: &[String]) -> Vec<String> {
    let first = all.first().map_or("", String::as_str);
    let bare = first.trim_start_matches(|c: char| !c.is_alphanumeric());
    let word_end = bare.find(|c: char| !c.is_alphabetic()).unwrap_or(bare.len());
    let rest = bare.get(word_end..).unwrap_or_default();
    let rest = rest.trim_start_matches(['"', '”', '」', '\'', '*', '`', ' ', ':', '：']);
    let mut values = Vec::with_capacity(all.len());
    if !fields::clean(rest).is_empty() {
        values.push(rest.to_owned());
    }
    values.extend(all.iter().skip(1).cloned());
    values
}

/// The kind of a record that does not name it.
fn kind_by_form(all: &[String], headed: Option<TupleKind>) -> Option<TupleKind> {
    let strength_last = all.last().is_some_and(|field| fields::is_strength(field));
    match all.len() {
        8.. if all.get(3).is_some_and(|field| fields::is_status(field)) => Some(TupleKind::Claim),
        4 | 5 if strength_last => Some(TupleKind::Relationship),
        3 => Some(TupleKind::Entity).filter(|kind| headed.is_none_or(|headed| headed == *kind)),
        _ => None,
    }
}

fn entity(values: &[String]) -> Result<Record, &'static str> {
    let mut aliases = Vec::new();
    let (name, kind, description) = match values {
        [] => return Err("an entity without a name"),
        [name] => (name, "", String::new()),
        // a type is short, a description is a sentence
        [name, second] if is_phrase(second) => (name, second.as_str(), String::new()),
        [name, second] => (name, "", second.clone()),
        [name, kind, description, others] if is_list_of_names(others) => {
            aliases = other_names(name, others);
            (name, kind.as_str(), description.clone())
        }
        [name, kind, rest @ ..] => (name, kind.as_str(), rest.join(" ")),
    };
    let kind = if fields::is_nothing(kind) { "" } else { kind };
    let description = if fields::is_nothing(&description) { String::new() } else { description };
    Ok(Record::Entity(EntityRecord {
        name: named(name)?,
        kind: kind.to_owned(),
        description,
        aliases,
        sentiment: None,
    }))
}

fn relationship(values: &[String]) -> Result<Record, &'static str> {
    let [source, target, rest @ ..] = values else {
        return Err("a relationship without two ends");
    };
    let (source, target) = (named(source)?, named(target)?);
    if name_key(&source) == name_key(&target) {
        return Err("a relationship of a thing with itself");
    }
    let (rest, strength) = match rest {
        [rest @ .., last] if fields::is_strength(last) => (rest, fields::strength(last).unwrap_or(1)),
        _ => (rest, 1),
    };
    let (kind, description) = match rest {
        [] => ("", String::new()),
        [only] if is_phrase(only) && !only.ends_with(['.', '。']) => (only.as_str(), String::new()),
        [only] => ("", only.clone()),
        // a long first field is no type: a description that was cut by a delimiter
        [kind, rest @ ..] if kind.chars().count() <= 60 => (kind.as_str(), rest.join(" ").trim().to_owned()),
        all => ("", all.join(" ")),
    };
    let kind = if fields::is_nothing(kind) { "" } else { kind };
    Ok(Record::Relationship(RelationshipRecord {
        source,
        target,
        kind: kind.to_owned(),
        description,
        strength,
    }))
}

fn claim(values: &[String]) -> Result<Record, &'static str> {
    let [subject, object, kind, status, rest @ ..] = values else {
        return Err("a claim without its fields");
    };
    let mut holder = "";
    let (start, end, description, source_text) = match rest {
        [start, end, description, quote, last] if is_list_of_names(last) => {
            holder = last;
            (start.as_str(), end.as_str(), description.clone(), quote.clone())
        }
        [start, end, description, quote @ ..] => {
            (start.as_str(), end.as_str(), description.clone(), quote.join(" "))
        }
        [description] => ("", "", description.clone(), String::new()),
        _ => return Err("a claim without a description"),
    };
    Ok(Record::Claim(ClaimRecord {
        subject: named(subject)?,
        object: if fields::is_nothing(object) { None } else { Some(named(object)?) },
        kind: if fields::is_nothing(kind) { String::new() } else { kind.clone() },
        status: ClaimStatus::from_text(status),
        description,
        start_date: fields::date(start),
        end_date: fields::date(end),
        source_text: if fields::is_nothing(&source_text) { String::new() } else { source_text },
        holder: if fields::is_nothing(holder) { String::new() } else { holder.to_owned() },
    }))
}

/// A few words, as a type has.
fn is_phrase(text: &str) -> bool {
    text.split_whitespace().count() <= 3 && text.chars().count() <= 40 && !text.ends_with(['.', '。'])
}

/// Whether a field holds names and no sentence, or says that there are none.
fn is_list_of_names(text: &str) -> bool {
    const LONGEST_NAME: usize = 60;
    const WORDS: usize = 7;
    fields::is_nothing(text)
        || pieces(text).all(|name| {
            let words = name.split_whitespace().count();
            let is_sentence = name.ends_with(['。', '！', '？']) || words > 3 && name.ends_with('.');
            words <= WORDS && !is_sentence && name.chars().take(LONGEST_NAME + 1).count() <= LONGEST_NAME
        })
}

/// The names of a list that are not the name itself.
fn other_names(name: &str, list: &str) -> Vec<String> {
    const MOST: usize = 8;
    let mut names: Vec<String> = Vec::new();
    for other in pieces(list).map(fields::clean) {
        let is_new = [name]
            .into_iter()
            .chain(names.iter().map(String::as_str))
            .all(|known| name_key(known) != name_key(&other));
        if is_new && names.len() < MOST && named(&other).is_ok() {
            names.push(other);
        }
    }
    names
}

fn pieces(list: &str) -> impl Iterator<Item = &str> {
    list.split([';', '；', '、']).map(str::trim).filter(|name| !name.is_empty())
}

fn named(name: &str) -> Result<String, &'static str> {
    if fields::is_nothing(name) || name_key(name).is_empty() {
        return Err("a record without a name");
    }
    if name.chars().count() > MAX_NAME_CHARACTERS {
        return Err("a name that is a text");
    }
    Ok(name.to_owned())
}

/// Adds an entity record for every end of a relationship or claim that has none (design 23).
pub(super) fn add_missing_ends(records: &mut Vec<Record>) {
    let mut known: HashSet<String> = HashSet::new();
    for record in records.iter() {
        if let Record::Entity(entity) = record {
            known.insert(name_key(&entity.name));
        }
    }
    let mut missing = Vec::new();
    for record in records.iter() {
        let ends = match record {
            Record::Entity(_) => [None, None],
            Record::Relationship(relationship) => [Some(&relationship.source), Some(&relationship.target)],
            Record::Claim(claim) => [Some(&claim.subject), claim.object.as_ref()],
        };
        for name in ends.into_iter().flatten() {
            if known.insert(name_key(name)) {
                missing.push(Record::Entity(EntityRecord { name: name.clone(), ..EntityRecord::default() }));
            }
        }
    }
    records.extend(missing);
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null => Some(String::new()),
        _ => None,
    }
}

#[cfg(test)]
#[path = "parser_tests.rs"]
mod tests;
