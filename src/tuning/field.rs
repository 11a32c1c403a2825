//! What field a corpus belongs to, as a model says of a sample: held to the sample, for only names that stand there
//! count.

use super::kit::Kit;
use crate::config::{EntityType, KnownName, RelationPattern};
use crate::domain::name_key;
use crate::index::extraction::schema::place_of;
use crate::index::passages::UnitPassage;
use crate::llm::reply::read_json;
use crate::llm::{ChatModel, ChatRequest, ModelRole};
use crate::prompts::{Data, Prompt, TuneField, TuneMerge, record_text, short_line};
use crate::tokens::Tokens;
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Tokens of passages that one call is shown.
pub(super) const SHOWN_TOKENS: usize = 6_000;
/// Types of entities that are kept.
const TYPES: usize = 20;
/// Patterns, claim kinds and names that are kept.
const RELATIONS: usize = 12;
const CLAIMS: usize = 5;
const NAMES: usize = 40;

/// A type of entities with what it covers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FoundType {
    /// Its name.
    #[serde(rename = "type")]
    pub kind: String,
    /// What belongs to it, on one line.
    pub description: String,
    /// Passages of the sample that hold one of its names.
    pub passages: usize,
    /// Names of the sample that are of it.
    pub names: Vec<String>,
}

/// What was found of a corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Field {
    /// What the texts are about and who reads them, in a sentence; empty without a model.
    pub domain: String,
    /// Languages, the most frequent first.
    pub languages: Vec<String>,
    /// Kinds of documents: transcript, contract, novel, …
    pub kinds: Vec<String>,
    /// Types of entities, those that cover most first.
    pub types: Vec<FoundType>,
    /// Patterns of relationships between them.
    pub relations: Vec<RelationPattern>,
    /// Kinds of claims.
    pub claims: Vec<String>,
    /// Whom reports would be for.
    pub audience: String,
    /// What makes a community important to them.
    pub rating: String,
    /// Names that need a list.
    pub names: Vec<KnownName>,
    /// Names of the documents' form: who opens every call, what stands in every footer. By statistics alone.
    pub stop_names: Vec<String>,
    /// Words of the field, the most telling first. By statistics alone.
    pub words: Vec<String>,
    /// Passages that a type must stand in not to be left out. By statistics alone; 0: none is left out.
    pub type_threshold: usize,
}

impl Field {
    /// The types as `[extraction.schema]` has them.
    pub fn entity_types(&self) -> Vec<EntityType> {
        self.types.iter().map(entry).collect()
    }

    /// Those that the threshold leaves.
    pub(super) fn common_types(&self) -> Vec<EntityType> {
        self.types.iter().filter(|found| found.passages >= self.type_threshold).map(entry).collect()
    }

    /// Whether the threshold leaves some out, and some not.
    pub(super) fn has_rare_types(&self) -> bool {
        (1..self.types.len()).contains(&self.common_types().len())
    }
}

fn entry(found: &FoundType) -> EntityType {
    EntityType { kind: found.kind.clone(), description: found.description.clone() }
}

/// What a reply says; whatever is missing is empty.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Account {
    domain: String,
    languages: Vec<String>,
    kinds: Vec<String>,
    types: Vec<SaidType>,
    relations: Vec<SaidRelation>,
    claims: Vec<String>,
    audience: String,
    rating: String,
    names: Vec<SaidName>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct SaidType {
    #[serde(rename = "type")]
    kind: String,
    description: String,
    names: Vec<String>,
    from: Vec<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct SaidRelation {
    source: String,
    #[serde(rename = "type")]
    kind: String,
    target: String,
    description: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct SaidName {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    also: Vec<String>,
}

/// The passages of each call.
pub(super) fn batches(seen: &[UnitPassage], tokens: Tokens) -> Vec<Vec<&UnitPassage>> {
    let mut batches: Vec<Vec<&UnitPassage>> = Vec::new();
    let mut room = 0_usize;
    for passage in seen {
        let count = tokens.count(&passage.unit.text);
        if let Some(batch) = batches.last_mut().filter(|_| count <= room) {
            room -= count;
            batch.push(passage);
        } else {
            room = SHOWN_TOKENS.saturating_sub(count);
            batches.push(vec![passage]);
        }
    }
    batches
}

/// Asks a model what field a sample belongs to: a call for each batch of passages, and one that makes one account of all.
///
/// # Errors
/// The model's. A reply that cannot be read counts as one that says nothing.
pub(super) async fn find(
    kit: &Kit<'_>,
    model: &dyn ChatModel,
    seen: &[UnitPassage],
    goal: &str,
) -> Result<Field> {
    let batches = batches(seen, kit.config.text_units.encoding);
    let stage = kit.progress.stage("finding the field", batches.len() as u64);
    let mut accounts = Vec::new();
    for batch in &batches {
        let shown: Vec<String> = (1..)
            .zip(batch)
            .map(|(number, passage)| {
                format!("[{number}] {}: {}", short_line(&passage.title), record_text(&passage.unit.text))
            })
            .collect();
        let prompt = TuneField {
            passages: Data::text(shown.join("\n\n")),
            goal,
            type_language: &kit.config.extraction.type_language,
        };
        kit.go_on()?;
        accounts.push(ask(kit, model, &prompt).await?);
        stage.advance(1);
    }
    let candidates = candidates(&accounts, seen);
    let merged = if accounts.len() > 1 {
        let told: Vec<String> = (1..)
            .zip(&accounts)
            .map(|(number, account)| account_text(number, account, &candidates))
            .collect();
        let prompt = TuneMerge { accounts: Data::text(told.join("\n\n")), goal, most: TYPES };
        Some(ask(kit, model, &prompt).await?)
    } else {
        None
    };
    Ok(together(&accounts, merged, candidates, seen))
}

async fn ask<P: Prompt>(kit: &Kit<'_>, model: &dyn ChatModel, prompt: &P) -> Result<Account> {
    let messages = kit.prompts.render(prompt)?;
    let reply = model.chat(&ChatRequest::new(ModelRole::Report, prompt.name().as_str(), messages)).await?;
    let value = read_json(&reply.text).unwrap_or_default();
    Ok(serde_json::from_value(value).unwrap_or_default())
}

/// The types of all accounts by key, with the names that really stand in the sample and where.
struct CandidateType {
    kind: String,
    description: String,
    names: Vec<String>,
    passages: BTreeSet<usize>,
}

fn candidates(accounts: &[Account], seen: &[UnitPassage]) -> BTreeMap<String, CandidateType> {
    let mut all: BTreeMap<String, CandidateType> = BTreeMap::new();
    for said in accounts.iter().flat_map(|account| &account.types) {
        let kind = short_line(&said.kind).to_lowercase();
        let key = name_key(&kind);
        if key.is_empty() {
            continue;
        }
        let entry = all.entry(key).or_insert_with(|| CandidateType {
            kind,
            description: short_line(&said.description),
            names: Vec::new(),
            passages: BTreeSet::new(),
        });
        for name in said.names.iter().map(|name| short_line(name)) {
            let places: Vec<usize> = (0..)
                .zip(seen)
                .filter(|(_, passage)| place_of(&passage.unit.text, &name).is_some())
                .map(|(place, _)| place)
                .collect();
            if !places.is_empty() && !entry.names.contains(&name) {
                entry.names.push(name);
                entry.passages.extend(places);
            }
        }
    }
    all
}

/// An account as the model that joins them reads it.
fn account_text(number: usize, account: &Account, candidates: &BTreeMap<String, CandidateType>) -> String {
    let mut lines = vec![format!("Account {number}: {}", short_line(&account.domain))];
    for said in &account.types {
        if let Some(found) = candidates.get(&name_key(&said.kind)) {
            let names = found.names.iter().take(4).cloned().collect::<Vec<_>>().join(", ");
            lines.push(format!(
                "type {} ({}): {}; {names}",
                found.kind,
                found.passages.len(),
                short_line(&said.description)
            ));
        }
    }
    for said in &account.relations {
        lines.push(short_line(&format!(
            "relation from {} to {}: {} ({})",
            said.source, said.target, said.kind, said.description
        )));
    }
    lines.extend(account.claims.iter().map(|claim| short_line(&format!("claim {claim}"))));
    lines.push(short_line(&format!("audience {}", account.audience)));
    lines.push(short_line(&format!("rating {}", account.rating)));
    lines.join("\n")
}

/// One field from all accounts and, where there were several, the account that a model made of them.
fn together(
    accounts: &[Account],
    merged: Option<Account>,
    candidates: BTreeMap<String, CandidateType>,
    seen: &[UnitPassage],
) -> Field {
    let first = accounts.first().cloned().unwrap_or_default();
    let leading = merged.filter(|merged| !merged.types.is_empty() || !merged.domain.is_empty());
    let leading = leading.as_ref().unwrap_or(&first);
    let types = types(leading, candidates);
    let known: BTreeSet<String> = types.iter().map(|found| name_key(&found.kind)).collect();
    let relations = if leading.relations.is_empty() { &first.relations } else { &leading.relations };
    let texts = |each: fn(&Account) -> &Vec<String>, most: usize| {
        let mut counts: BTreeMap<String, (usize, String)> = BTreeMap::new();
        for text in accounts.iter().flat_map(each) {
            let entry = counts.entry(name_key(text)).or_insert_with(|| (0, short_line(text)));
            entry.0 += 1;
        }
        let mut all: Vec<(usize, String)> = counts.into_values().collect();
        all.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        all.into_iter().map(|(_, text)| text).filter(|text| !text.is_empty()).take(most).collect()
    };
    let mut claims: Vec<String> = leading.claims.iter().map(|claim| short_line(claim)).collect();
    claims.truncate(CLAIMS);
    Field {
        domain: short_line(&leading.domain),
        languages: texts(|account| &account.languages, 5),
        kinds: texts(|account| &account.kinds, 5),
        relations: relations.iter().filter_map(|said| pattern(said, &known)).take(RELATIONS).collect(),
        claims,
        audience: short_line(&leading.audience),
        rating: short_line(&leading.rating),
        names: names(accounts, &known, seen),
        types,
        ..Field::default()
    }
}

/// The types of an account, each with the names of those that it is made of; those that cover most, as many as are wanted.
fn types(account: &Account, mut candidates: BTreeMap<String, CandidateType>) -> Vec<FoundType> {
    let mut types: Vec<FoundType> = Vec::new();
    for said in &account.types {
        let kind = short_line(&said.kind).to_lowercase();
        let mut found = FoundType { description: short_line(&said.description), ..FoundType::default() };
        let mut passages = BTreeSet::new();
        for from in said.from.iter().chain(std::iter::once(&said.kind)) {
            if let Some(candidate) = candidates.remove(&name_key(from)) {
                found.names.extend(candidate.names);
                passages.extend(candidate.passages);
                if found.description.is_empty() {
                    found.description = candidate.description;
                }
            }
        }
        found.kind = kind;
        found.passages = passages.len();
        let known = types.iter().any(|other| name_key(&other.kind) == name_key(&found.kind));
        if !found.kind.is_empty() && !known {
            types.push(found);
        }
    }
    types.sort_by(|a, b| b.passages.cmp(&a.passages).then_with(|| a.kind.cmp(&b.kind)));
    let covering = types.iter().filter(|found| found.passages > 0).count();
    // what stands nowhere is guessed
    types.truncate(covering.min(TYPES));
    types
}

fn pattern(said: &SaidRelation, types: &BTreeSet<String>) -> Option<RelationPattern> {
    let [source, target] = [&said.source, &said.target].map(|end| short_line(end).to_lowercase());
    let known = types.contains(&name_key(&source)) && types.contains(&name_key(&target));
    known.then(|| RelationPattern {
        source,
        kind: short_line(&said.kind),
        target,
        description: short_line(&said.description),
    })
}

/// Names for the list: those that stand in the sample, with the spellings that stand there.
fn names(accounts: &[Account], types: &BTreeSet<String>, seen: &[UnitPassage]) -> Vec<KnownName> {
    let stands = |name: &str| seen.iter().any(|passage| place_of(&passage.unit.text, name).is_some());
    let mut all: BTreeMap<String, KnownName> = BTreeMap::new();
    for said in accounts.iter().flat_map(|account| &account.names) {
        let name = short_line(&said.name);
        let also: Vec<String> =
            said.also.iter().map(|other| short_line(other)).filter(|o| stands(o)).collect();
        let known = all.values().any(|known| also.contains(&known.name) || known.also.contains(&name));
        let nowhere = also.is_empty() && !stands(&name);
        if name.is_empty() || known || nowhere {
            continue;
        }
        let kind = short_line(&said.kind).to_lowercase();
        let kind = if types.contains(&name_key(&kind)) { kind } else { String::new() };
        let entry = all.entry(name_key(&name)).or_insert_with(|| KnownName { name, kind, also: Vec::new() });
        for other in also {
            if other != entry.name && !entry.also.contains(&other) {
                entry.also.push(other);
            }
        }
    }
    all.into_values().take(NAMES).collect()
}

#[cfg(test)]
mod tests {
    use super::super::sample::passage;
    use super::*;

    fn account(text: &str) -> Account {
        serde_json::from_value(read_json(text).unwrap_or_default()).unwrap()
    }

    #[test]
    fn types_count_by_the_passages_that_hold_their_names() {
        let seen =
            [passage("a", 0, "The Northern Star left Velm."), passage("a", 1, "Ida saw the Northern Star.")];
        let one = account(
            r#"{"domain": "ferries", "types": [{"type": "Vessel", "description": "a ship", "names": ["Northern Star", "Titanic"]},
            {"type": "ghost", "names": ["Marley"]}, {"type": "person", "names": ["Ida"]}],
            "relations": [{"source": "person", "type": "sees", "target": "VESSEL"}, {"source": "ghost", "type": "x", "target": "person"}],
            "names": [{"name": "NS", "type": "vessel", "also": ["Northern Star"]}, {"name": "Olympic"}]}"#,
        );
        let field =
            together(std::slice::from_ref(&one), None, candidates(std::slice::from_ref(&one), &seen), &seen);
        let types: Vec<(&str, usize)> =
            field.types.iter().map(|found| (found.kind.as_str(), found.passages)).collect();
        assert_eq!(types, [("vessel", 2), ("person", 1)], "nobody named a ghost");
        assert_eq!(field.types[0].names, ["Northern Star"]);
        assert_eq!(field.relations.len(), 1);
        assert_eq!(field.names.len(), 1);
        assert_eq!(field.names[0].also, ["Northern Star"]);
    }

    #[test]
    fn types_that_a_model_joins_keep_what_both_cover() {
        let seen = [passage("a", 0, "Ida sails."), passage("a", 1, "Brandt sails.")];
        let accounts = [
            account(r#"{"types": [{"type": "person", "names": ["Ida"]}]}"#),
            account(r#"{"types": [{"type": "sailor", "names": ["Brandt"]}]}"#),
        ];
        let merged =
            account(r#"{"domain": "ships", "types": [{"type": "person", "from": ["person", "sailor"]}]}"#);
        let field = together(&accounts, Some(merged), candidates(&accounts, &seen), &seen);
        assert_eq!((field.types.len(), field.types[0].passages), (1, 2));
    }
}
