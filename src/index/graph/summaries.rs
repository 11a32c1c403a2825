//! Many descriptions of one thing into one: joined where they are short, else summarised by a model as a tree.
//!
//! The tree's groups end where a description's hash says so, not at fixed places (as in a Merkle search tree), so one
//! description more changes one group a level: O(log n) calls, the others come from the cache of replies.

use super::Naming;
use super::descriptions::{
    descriptions_fingerprint, distinct as distinct_texts_of, entity_descriptions, is_summary_of,
    relationship_descriptions,
};
use crate::domain::{EntityEvidence, Id, Record, RelationshipEvidence, fingerprint, name_key};
use crate::language::sentences;
use crate::language::words::is_han;
use crate::llm::{ChatModel, ChatRequest, ModelError, ModelRole, side_by_side};
use crate::prompts::{Data, PromptName, Prompts, SummariseDescriptions};
use crate::services::Services;
use crate::tokens::Tokens;
use anyhow::Result;
use futures::future::{BoxFuture, try_join_all};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// One description in so many ends a group.
const GROUP_SIZE: u32 = 8;
/// Tokens that a reply may have for each word asked for.
const TOKENS_A_WORD: usize = 3;

/// Summarises the descriptions of dirty entities and relationships that are too long to be joined.
#[derive(Clone)]
pub struct Summariser {
    chat: Arc<dyn ChatModel>,
    prompts: Arc<Prompts>,
    tokens: Tokens,
    threshold_tokens: usize,
    language: String,
    concurrency: usize,
    settings: String,
}

/// What decides a summary besides the descriptions: what the fingerprint of each begins with. Without a model none is
/// written.
pub fn settings(services: &Services) -> String {
    let Some(chat) = &services.chat else { return "none".to_owned() };
    let config = &services.config.extraction;
    let parts = fingerprint(&[
        &chat.identity(ModelRole::Summarise),
        services.prompts.fingerprint(PromptName::SummariseDescriptions),
        &config.summary_threshold_tokens.to_string(),
        &config.language,
    ]);
    parts.chars().take(16).collect()
}

/// Tokens of the descriptions in one call.
const INPUT_TOKENS: usize = 4000;
/// Text units whose records are read at once.
const UNITS_AT_ONCE: usize = 128;
/// Words of a summary.
const SUMMARY_WORDS: usize = 300;

impl Summariser {
    /// The summariser of a run; `None` without a model.
    pub fn new(services: &Services) -> Option<Self> {
        let llm = &services.config.llm;
        Some(Self {
            chat: Arc::clone(services.chat.as_ref()?),
            prompts: Arc::clone(&services.prompts),
            tokens: services.tokens,
            threshold_tokens: services.config.extraction.summary_threshold_tokens,
            language: services.config.extraction.language.clone(),
            concurrency: llm.summarise.concurrency.unwrap_or(llm.concurrency),
            settings: settings(services),
        })
    }

    /// Gives entities whose descriptions changed their new summary.
    ///
    /// # Errors
    /// A model that refuses, or a budget that is used up; other failures leave the descriptions joined.
    pub async fn entities(&self, dirty: &mut [EntityEvidence]) -> Result<()> {
        let work: Vec<PendingSummary> = dirty
            .iter()
            .enumerate()
            .filter_map(|(place, evidence)| {
                let name = evidence.mentions.iter().find(|(_, m)| !m.linked)?.1.names.first()?.clone();
                self.work(place, vec![name], &entity_descriptions(evidence), evidence.summary.as_ref())
            })
            .collect();
        for (place, summary) in self.write(work).await? {
            if let Some(evidence) = dirty.get_mut(place) {
                evidence.summary = Some(summary);
            }
        }
        Ok(())
    }

    /// Gives relationships whose descriptions changed their new summary.
    ///
    /// # Errors
    /// As [`Self::entities`].
    pub async fn relationships(
        &self,
        services: &Services,
        naming: &Naming,
        dirty: &mut [RelationshipEvidence],
    ) -> Result<()> {
        let mut work: Vec<PendingSummary> = dirty
            .iter()
            .enumerate()
            .filter_map(|(place, evidence)| {
                self.work(place, Vec::new(), &relationship_descriptions(evidence), evidence.summary.as_ref())
            })
            .collect();
        let long: Vec<&RelationshipEvidence> = work.iter().filter_map(|one| dirty.get(one.place)).collect();
        let names = names_as_written(services, naming, &long).await?;
        for one in &mut work {
            if let Some(names) = dirty.get(one.place).and_then(|evidence| names.get(&evidence.id)) {
                one.names.clone_from(names);
            }
        }
        for (place, summary) in self.write(work).await? {
            if let Some(evidence) = dirty.get_mut(place) {
                evidence.summary = Some(summary);
            }
        }
        Ok(())
    }

    /// One text for each list of texts (with the names of what they are about) that is too long to be joined, by
    /// its place; lists that are short, or that the model does not take, are left out.
    ///
    /// # Errors
    /// As [`Self::entities`].
    pub async fn texts(&self, lists: Vec<(Vec<String>, Vec<String>)>) -> Result<Vec<(usize, String)>> {
        let work = lists
            .into_iter()
            .enumerate()
            .filter_map(|(place, (names, texts))| {
                self.work(place, names, &distinct_texts_of(texts.iter()), None)
            })
            .collect();
        let written = self.write(work).await?;
        Ok(written.into_iter().map(|(place, (_, text))| (place, text)).collect())
    }

    fn work(
        &self,
        place: usize,
        names: Vec<String>,
        descriptions: &[&str],
        summary: Option<&(String, String)>,
    ) -> Option<PendingSummary> {
        if descriptions.len() < 2 || summary.is_some_and(|(of, _)| is_summary_of(of, descriptions)) {
            return None;
        }
        let bytes: usize = descriptions.iter().map(|d| d.len()).sum();
        let long = bytes > self.threshold_tokens
            && self.tokens.count_within(&descriptions.join("\n"), self.threshold_tokens).is_none();
        long.then(|| PendingSummary {
            place,
            names,
            of: format!("{}/{}", self.settings, descriptions_fingerprint(descriptions)),
            descriptions: descriptions.iter().map(|d| (*d).to_owned()).collect(),
        })
    }

    async fn write(&self, work: Vec<PendingSummary>) -> Result<Vec<(usize, (String, String))>> {
        let calls = work.into_iter().map(|one| async move {
            let settings = SummarySettings {
                tokens: self.tokens,
                threshold_tokens: self.threshold_tokens,
                max_input_tokens: INPUT_TOKENS,
                max_words: SUMMARY_WORDS,
                language: &self.language,
            };
            let reply =
                summarise(self.chat.as_ref(), &self.prompts, &one.names, &one.descriptions, settings).await;
            match reply {
                Ok(text) => Ok(Some((one.place, (one.of, text)))),
                Err(error) if error.stops_the_run() && !matches!(error, ModelError::NoKey(_)) => {
                    Err(anyhow::Error::from(error))
                }
                Err(error) => {
                    tracing::warn!(%error, "descriptions stay joined");
                    Ok(None)
                }
            }
        });
        let done = side_by_side(calls, self.concurrency).await?;
        Ok(done.into_iter().flatten().collect())
    }
}

struct PendingSummary {
    place: usize,
    names: Vec<String>,
    of: String,
    descriptions: Vec<String>,
}

/// The two names of each relationship as its first record writes them: a function of its evidence, whatever the
/// entities are called meanwhile.
async fn names_as_written(
    services: &Services,
    naming: &Naming,
    relationships: &[&RelationshipEvidence],
) -> Result<BTreeMap<Id, Vec<String>>> {
    let mut wanted: BTreeMap<&Id, Vec<&Id>> = BTreeMap::new();
    for evidence in relationships {
        if let Some((place, _)) = evidence.items.first() {
            wanted.entry(&place.text_unit).or_default().push(&evidence.id);
        }
    }
    let ids: Vec<Id> = wanted.keys().map(|id| (*id).clone()).collect();
    let mut names = BTreeMap::new();
    let id_of = |name: &str| services.ids.entity(naming.canonical_key(&name_key(name)));
    for ids in ids.chunks(UNITS_AT_ONCE) {
        for unit in services.graph.text_units_by_id(ids).await? {
            let of_unit = wanted.get(&unit.unit.id).map_or(&[][..], Vec::as_slice);
            for record in &unit.state.records {
                let Record::Relationship(relation) = record else { continue };
                let id = services.ids.relationship(&id_of(&relation.source), &id_of(&relation.target));
                if of_unit.contains(&&id) {
                    names.entry(id).or_insert_with(|| vec![relation.source.clone(), relation.target.clone()]);
                }
            }
        }
    }
    Ok(names)
}

/// How descriptions are brought together.
#[derive(Clone, Copy, Debug)]
pub struct SummarySettings<'a> {
    /// How tokens are counted.
    pub tokens: Tokens,
    /// Descriptions of at most so many tokens together are joined without a call.
    pub threshold_tokens: usize,
    /// Tokens of the descriptions in one call.
    pub max_input_tokens: usize,
    /// Words of a summary.
    pub max_words: usize,
    /// Language of summaries; empty: that of the descriptions.
    pub language: &'a str,
}

/// The distinct descriptions in order, as one text of at most `limit` tokens, cut at a sentence's end.
pub fn join_descriptions(descriptions: &[String], tokens: Tokens, limit: usize) -> String {
    let all = distinct(descriptions);
    let whole = join(all.iter().map(String::as_str));
    if whole.len() <= limit || tokens.count(&whole) <= limit {
        return whole;
    }
    let mut kept: Vec<&str> = Vec::new();
    let mut used = 0;
    'all: for description in &all {
        let description = description.as_str();
        for range in sentences(description) {
            let sentence = description.get(range).unwrap_or_default();
            // a space between two sentences is at most one token
            used += tokens.count(sentence) + 1;
            if used > limit + 1 {
                break 'all;
            }
            kept.push(sentence);
        }
    }
    match all.first() {
        Some(first) if kept.is_empty() => tokens.truncate(first, limit).trim_end().to_owned(),
        _ => {
            while tokens.count(&join(kept.iter().copied())) > limit && kept.pop().is_some() {}
            join(kept.into_iter())
        }
    }
}

/// One description of an entity (one name) or a relationship (two) from all its descriptions, without a call where
/// they are short.
///
/// # Errors
/// Those of the model, but not that it rejects a call: such descriptions are joined and cut.
pub async fn summarise(
    model: &dyn ChatModel,
    prompts: &Prompts,
    names: &[String],
    descriptions: &[String],
    settings: SummarySettings<'_>,
) -> Result<String, ModelError> {
    let summariser = SummaryTree { model, prompts, names, settings };
    let longest = (settings.max_input_tokens / 4).max(1);
    let mut level: Vec<String> = distinct(descriptions)
        .iter()
        .map(|description| settings.tokens.truncate(description, longest).to_owned())
        .collect();
    loop {
        let joined = join(level.iter().map(String::as_str));
        if level.len() <= 1 || joined.len() <= settings.threshold_tokens {
            return Ok(joined);
        }
        if settings.tokens.count(&joined) <= settings.threshold_tokens {
            return Ok(joined);
        }
        let groups = group_descriptions(&level, settings.tokens, settings.max_input_tokens);
        level = try_join_all(groups.iter().map(|group| summariser.one(group))).await?;
    }
}

struct SummaryTree<'a> {
    model: &'a dyn ChatModel,
    prompts: &'a Prompts,
    names: &'a [String],
    settings: SummarySettings<'a>,
}

impl SummaryTree<'_> {
    /// One description from a group; a group that the model cannot take is split.
    fn one<'a>(&'a self, group: &'a [String]) -> BoxFuture<'a, Result<String, ModelError>> {
        Box::pin(async move {
            let [first, _, ..] = group else {
                return Ok(group.first().cloned().unwrap_or_default());
            };
            match self.ask(group).await {
                Ok(text) if !text.is_empty() => Ok(text),
                Ok(_) | Err(ModelError::Rejected { .. }) => Ok(self.cut(group)),
                Err(ModelError::TooLong { .. }) if group.len() > 2 => {
                    let (one, other) = group.split_at(group.len() / 2);
                    let halves = [self.one(one).await?, self.one(other).await?];
                    Ok(self.cut(&halves))
                }
                Err(ModelError::TooLong { .. }) => Ok(self.cut(std::slice::from_ref(first))),
                Err(error) => Err(error),
            }
        })
    }

    async fn ask(&self, group: &[String]) -> Result<String, ModelError> {
        let messages = self.prompts.messages(&SummariseDescriptions {
            names: Data::lines(self.names),
            descriptions: Data::items(group),
            max_words: self.settings.max_words,
            language: self.settings.language,
        })?;
        let task = PromptName::SummariseDescriptions.as_str();
        let reply = self.model.chat(&ChatRequest::new(ModelRole::Summarise, task, messages)).await?;
        let text = reply.text.trim().trim_matches('`').trim().to_owned();
        // a model that does not keep to its words must not fill every later prompt
        Ok(join_descriptions(&[text], self.settings.tokens, self.settings.max_words * TOKENS_A_WORD))
    }

    fn cut(&self, descriptions: &[String]) -> String {
        join_descriptions(descriptions, self.settings.tokens, self.settings.max_words * TOKENS_A_WORD)
    }
}

/// Groups of two or more in order (the last may be one): each ends at a description whose hash says so, or before
/// its tokens pass the limit. A few that fit in one call are one group.
fn group_descriptions(level: &[String], tokens: Tokens, limit: usize) -> Vec<Vec<String>> {
    let few = level.len() <= 2 * GROUP_SIZE as usize;
    if few && level.iter().map(|description| tokens.count(description)).sum::<usize>() <= limit {
        return vec![level.to_vec()];
    }
    let mut groups: Vec<Vec<String>> = vec![Vec::new()];
    let mut used = 0;
    for description in level {
        let count = tokens.count(description);
        if let Some(last) = groups.last()
            && last.len() >= 2
            && (used + count > limit || last.last().is_some_and(|text| ends_group(text)))
        {
            groups.push(Vec::new());
            used = 0;
        }
        if let Some(last) = groups.last_mut() {
            last.push(description.clone());
        }
        used += count;
    }
    groups
}

fn ends_group(description: &str) -> bool {
    let hash = fingerprint(&[description]);
    u32::from_str_radix(hash.get(..8).unwrap_or_default(), 16).unwrap_or_default().is_multiple_of(GROUP_SIZE)
}

fn distinct(descriptions: &[String]) -> Vec<String> {
    let mut seen = HashSet::new();
    descriptions
        .iter()
        .map(|description| description.trim().to_owned())
        .filter(|description| !description.is_empty() && seen.insert(description.clone()))
        .collect()
}

/// Texts one after another, with a space where the script has spaces.
fn join<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut whole = String::new();
    for text in texts {
        if !whole.is_empty() {
            if !whole
                .ends_with(['.', '!', '?', '。', '！', '？', ';', '；', ':', '：', '"', '”', ')', '）', '…'])
            {
                whole.push_str(if whole.chars().last().is_some_and(is_han) { "；" } else { ";" });
            }
            if !whole.ends_with(['。', '！', '？', '；', '：', '”', '）']) {
                whole.push(' ');
            }
        }
        whole.push_str(text);
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::scripted::{Scripted, reply};
    use proptest::prelude::*;

    fn strings(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    const SETTINGS: SummarySettings<'static> = SummarySettings {
        tokens: Tokens::O200kBase,
        threshold_tokens: 40,
        max_input_tokens: 400,
        max_words: 12,
        language: "",
    };

    #[test]
    fn descriptions_are_joined_each_once() {
        let check = |texts: &[&str], limit, expected: &str| {
            assert_eq!(join_descriptions(&strings(texts), Tokens::O200kBase, limit), expected);
        };
        check(&["A clerk.", " A clerk. ", "", "A father"], 100, "A clerk. A father");
        check(&["A clerk", "A father"], 100, "A clerk; A father");
        check(&["刘备是君主。", "关羽的兄弟", "人物"], 100, "刘备是君主。关羽的兄弟；人物");
        check(
            &["One sentence here. Another sentence there.", "A third one."],
            9,
            "One sentence here. Another sentence there.",
        );
        check(&[], 9, "");
    }

    proptest! {
        #[test]
        fn a_joined_text_fits_its_budget(texts in proptest::collection::vec("[a-z刘。. ]{0,60}", 0..8), limit in 1..40_usize) {
            let joined = join_descriptions(&texts, Tokens::O200kBase, limit);
            prop_assert!(Tokens::O200kBase.count(&joined) <= limit, "{joined:?}");
        }

        #[test]
        fn groups_hold_everything_in_order(texts in proptest::collection::vec("[a-z]{1,20}", 1..60)) {
            let groups = group_descriptions(&texts, Tokens::O200kBase, 30);
            prop_assert_eq!(groups.concat(), texts);
            for group in groups.iter().rev().skip(1) {
                prop_assert!(group.len() >= 2);
            }
        }
    }

    fn model() -> Scripted {
        Scripted::new(|request| {
            let hash = fingerprint(&[&request.messages[1].content]);
            Ok(reply(&format!("Summary {} of some facts.", &hash[..6])))
        })
    }

    fn many(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("Scrooge did thing number {number} on that very night.")).collect()
    }

    #[tokio::test]
    async fn short_descriptions_cost_no_call() {
        let (model, prompts) = (model(), Prompts::load(None).unwrap());
        let text =
            summarise(&model, &prompts, &strings(&["Bob"]), &strings(&["A clerk.", "A father."]), SETTINGS)
                .await;
        assert_eq!(text.unwrap(), "A clerk. A father.");
        assert!(model.tasks().is_empty());
    }

    #[tokio::test]
    async fn one_description_more_costs_few_calls() {
        let prompts = Prompts::load(None).unwrap();
        let names = strings(&["Scrooge"]);
        let before = model();
        summarise(&before, &prompts, &names, &many(300), SETTINGS).await.unwrap();
        let asked: HashSet<String> =
            before.requests().iter().map(|r| r.messages[1].content.clone()).collect();
        assert!(asked.len() > 30, "{}", asked.len());
        for place in [0, 150, 300] {
            let after = model();
            let mut more = many(300);
            more.insert(place, "Scrooge gave a turkey to Bob.".to_owned());
            summarise(&after, &prompts, &names, &more, SETTINGS).await.unwrap();
            let new = after.requests().iter().filter(|r| !asked.contains(&r.messages[1].content)).count();
            assert!(new <= 10, "{new} new calls at {place}");
        }
    }

    #[tokio::test]
    async fn what_a_model_does_not_take_is_split_or_joined() {
        let prompts = Prompts::load(None).unwrap();
        let names = strings(&["Scrooge"]);
        let rejecting =
            Scripted::new(|_| Err(ModelError::Rejected { endpoint: "e".into(), reason: "filter".into() }));
        let text = summarise(&rejecting, &prompts, &names, &many(9), SETTINGS).await.unwrap();
        assert!(text.starts_with("Scrooge did thing number 0"), "{text}");
        let small = Scripted::new(|request| {
            if request.messages[1].content.len() > 400 {
                return Err(ModelError::TooLong { model: "m".into(), reason: "long".into() });
            }
            Ok(reply("Scrooge did things."))
        });
        assert_eq!(
            summarise(&small, &prompts, &names, &many(40), SETTINGS).await.unwrap(),
            "Scrooge did things."
        );
        let busy = Scripted::new(|_| Err(ModelError::Budget("spent".into())));
        assert!(summarise(&busy, &prompts, &names, &many(9), SETTINGS).await.is_err());
    }
}
