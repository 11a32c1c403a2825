//! Asking the library: which entry answers a question, which ones come near, and what comes next.

use super::matching::{Match, Matcher, is_continuation, is_elliptical, kinds_fit, says_nothing_known};
use crate::config::QaConfig;
use crate::domain::{EntryStatus, Id, LibraryEntry};
use crate::services::Services;
use crate::stores::StoreResult;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

/// Libraries that are kept in memory.
const KEPT: usize = 8;
/// How much likelier a follow-up of what was just spoken of is: its confidence to this power.
const FOLLOW_UP_POWER: f64 = 0.5;
/// How likely it is that "and how do I …?" begins something new.
const SOMETHING_NEW: f64 = 0.7;
/// Confidence of the one follow-up that is asked for by nothing but "and how long?".
const BARE_FOLLOW_UP: f64 = 0.75;

/// The library in memory.
#[derive(Debug)]
pub struct Library {
    /// All entries, by id.
    pub entries: Vec<LibraryEntry>,
    places: BTreeMap<Id, usize>,
    keys: BTreeMap<String, usize>,
    matcher: Matcher,
}

/// Which entries may answer.
#[derive(Clone, Debug, Default)]
pub struct Conditions {
    /// The day, `YYYY-MM-DD`; empty: whatever the validity.
    pub day: String,
    /// `tag=…`, `language=…`, or a key of metadata: all must hold.
    pub filters: Vec<(String, String)>,
}

impl Conditions {
    /// Whatever holds today.
    pub fn today() -> Self {
        Self { day: chrono::Local::now().format("%Y-%m-%d").to_string(), filters: Vec::new() }
    }

    fn allow(&self, entry: &LibraryEntry) -> bool {
        let holds = if self.day.is_empty() {
            entry.status == EntryStatus::Approved
        } else {
            entry.holds_on(&self.day)
        };
        holds && self.filters.iter().all(|(key, value)| meets(entry, key, value))
    }
}

/// Whether an entry has a tag, a language, a status, or a value of metadata.
pub fn meets(entry: &LibraryEntry, key: &str, value: &str) -> bool {
    match key {
        "tag" => entry.tags.iter().any(|tag| tag.eq_ignore_ascii_case(value)),
        "language" => entry.language.eq_ignore_ascii_case(value),
        "status" => entry.status.as_str() == value,
        "author" => entry.author == value,
        _ => entry.metadata.get(key).is_some_and(|own| own.eq_ignore_ascii_case(value)),
    }
}

impl Library {
    /// Takes entries in.
    pub fn new(entries: Vec<LibraryEntry>) -> Self {
        Self {
            places: entries.iter().enumerate().map(|(place, entry)| (entry.id.clone(), place)).collect(),
            keys: entries.iter().enumerate().map(|(place, entry)| (entry.key.clone(), place)).collect(),
            matcher: Matcher::new(&entries),
            entries,
        }
    }

    /// The workspace's library, read again only where it has changed; `None` where it has no entry.
    ///
    /// # Errors
    /// What the store says.
    pub async fn open(services: &Services) -> StoreResult<Option<Arc<Self>>> {
        static LIBRARIES: Mutex<Vec<(String, u64, Arc<Library>)>> = Mutex::new(Vec::new());
        let revision = services.graph.library_revision().await?;
        if revision == 0 {
            return Ok(None);
        }
        let name = format!("{} {}", services.graph.describe(), services.ids.workspace());
        {
            let mut kept = LIBRARIES.lock().unwrap_or_else(PoisonError::into_inner);
            kept.retain(|(other, other_revision, _)| *other != name || *other_revision == revision);
            if let Some((_, _, library)) = kept.iter().find(|(other, ..)| *other == name) {
                return Ok(Some(Arc::clone(library)));
            }
        }
        let entries = services.graph.library().await?;
        if entries.is_empty() {
            return Ok(None);
        }
        let library = Arc::new(Self::new(entries));
        let mut kept = LIBRARIES.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push((name, revision, Arc::clone(&library)));
        Ok(Some(library))
    }

    /// The entry at a place of a [`Match`].
    pub fn entry(&self, found: &Match) -> Option<&LibraryEntry> {
        self.entries.get(found.place)
    }

    /// The entries that a question may mean, surest first. `earlier` are the questions of the conversation, oldest first:
    /// what they were about decides what "and how long does that take?" is about.
    pub fn ask(
        &self,
        question: &str,
        earlier: &[&str],
        conditions: &Conditions,
        config: &QaConfig,
        limit: usize,
    ) -> Vec<Match> {
        let mut spoken: Vec<usize> = Vec::new();
        for question in earlier {
            let found = self.ranked(question, &spoken, conditions, 1);
            if let Some(found) = found.first().filter(|found| found.confidence >= config.suggest) {
                spoken.push(found.place);
            }
        }
        self.ranked(question, &spoken, conditions, limit)
    }

    fn ranked(&self, question: &str, spoken: &[usize], conditions: &Conditions, limit: usize) -> Vec<Match> {
        let allowed = |place: usize| self.entries.get(place).is_some_and(|entry| conditions.allow(entry));
        let mut found = self.matcher.matches(question, &[], &allowed, limit.max(3));
        if let Some(last) = spoken.last() {
            if is_continuation(question) {
                for found in &mut found {
                    found.confidence *= SOMETHING_NEW;
                }
            }
            for next in self.next(question, *last, spoken, &allowed) {
                match found.iter_mut().find(|known| known.place == next.place) {
                    Some(known) => known.confidence = known.confidence.max(next.confidence),
                    None => found.push(next),
                }
            }
            found.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then(a.place.cmp(&b.place)));
        }
        found.truncate(limit);
        found
    }

    /// Follow-ups of what was spoken of that a question may mean.
    fn next(
        &self,
        question: &str,
        last: usize,
        spoken: &[usize],
        allowed: &dyn Fn(usize) -> bool,
    ) -> Vec<Match> {
        let follow_ups: BTreeSet<usize> = spoken
            .iter()
            .flat_map(|place| self.follow_ups(*place))
            .filter(|place| !spoken.contains(place) && allowed(*place))
            .collect();
        if follow_ups.is_empty() {
            return Vec::new();
        }
        let among = |place: usize| follow_ups.contains(&place);
        let mut next = self.matcher.matches(question, &[last], &among, follow_ups.len());
        for found in &mut next {
            found.confidence = found.confidence.powf(FOLLOW_UP_POWER);
        }
        let bare = is_elliptical(question) || is_continuation(question) && says_nothing_known(question);
        if bare && next.iter().all(|found| found.confidence < BARE_FOLLOW_UP) {
            let fitting: Vec<usize> = follow_ups
                .into_iter()
                .filter(|place| {
                    self.entries.get(*place).is_some_and(|entry| kinds_fit(question, entry.phrasings()))
                })
                .collect();
            if let [place] = fitting.as_slice() {
                next.retain(|found| found.place != *place);
                next.push(Match { place: *place, confidence: BARE_FOLLOW_UP });
            }
        }
        next
    }

    /// The follow-ups of an entry that are there, in their order.
    fn follow_ups(&self, place: usize) -> impl Iterator<Item = usize> {
        let keys = self.entries.get(place).map(|entry| entry.follow_ups.as_slice()).unwrap_or_default();
        keys.iter().filter_map(|key| self.keys.get(key).copied())
    }

    /// What may be asked next: the follow-ups of an entry first, then its neighbours; none that was spoken of.
    pub fn related(
        &self,
        place: usize,
        spoken: &[&str],
        conditions: &Conditions,
        most: usize,
    ) -> Vec<&LibraryEntry> {
        let near = self.entries.get(place).map(|entry| entry.related.as_slice()).unwrap_or_default();
        let near = near.iter().filter_map(|related| self.places.get(&related.id).copied());
        let mut seen = BTreeSet::from([place]);
        self.follow_ups(place)
            .chain(near)
            .filter(|next| seen.insert(*next))
            .filter_map(|next| self.entries.get(next))
            .filter(|entry| conditions.allow(entry) && !spoken.contains(&entry.question.as_str()))
            .take(most)
            .collect()
    }
}

/// Notes a question that nothing answered, where `[qa] record` says so.
///
/// # Errors
/// What the store says.
pub async fn record(services: &Services, question: &str, outcome: &str) -> Result<()> {
    if !services.config.qa.record {
        return Ok(());
    }
    let asked = crate::domain::AskedQuestion {
        question: question.trim().to_owned(),
        count: 1,
        last: chrono::Local::now().format("%Y-%m-%d").to_string(),
        outcome: outcome.to_owned(),
    };
    services.graph.add_asked_questions(&[asked]).await?;
    Ok(())
}
