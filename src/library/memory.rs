//! The library in memory: read once, kept until it changes, with what finds its entries.

use super::matching::weights::MatchWeights;
use super::matching::{EntryMatch, Matcher};
use super::stored;
use crate::domain::{EntryStatus, Id, LibraryEntry};
use crate::services::Services;
use crate::stores::StoreResult;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tokio::sync::OnceCell;

/// Libraries that are kept in memory.
const KEPT: usize = 8;

/// The library in memory.
#[derive(Debug)]
pub struct Library {
    /// All entries, by id.
    pub entries: Vec<LibraryEntry>,
    pub(super) places: FxHashMap<Id, usize>,
    pub(super) keys: FxHashMap<String, usize>,
    pub(super) matcher: Matcher,
    nodes: OnceLock<Nodes>,
    /// Scripts that the embedding model knows.
    pub(super) scripts: OnceCell<Vec<bool>>,
}

/// The nodes that entries are found by.
#[derive(Debug)]
pub(super) struct Nodes {
    /// The place of each one's entry.
    pub(super) places: FxHashMap<Id, usize>,
    /// Those of each entry: its question, its variants, its answer.
    of: Vec<Vec<Id>>,
}

/// Libraries that this process has read, each with its store and workspace and with how often it was changed by then.
pub(super) static LIBRARIES: Mutex<Vec<(String, u64, Arc<Library>)>> = Mutex::new(Vec::new());

pub(super) fn name_of(services: &Services) -> String {
    format!("{} {}", services.graph.describe(), services.ids.workspace())
}

/// Which entries may answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
        let matcher = Matcher::new(&entries);
        Self::of(entries, matcher)
    }

    fn of(entries: Vec<LibraryEntry>, matcher: Matcher) -> Self {
        Self {
            places: entries.iter().enumerate().map(|(place, entry)| (entry.id.clone(), place)).collect(),
            keys: entries.iter().enumerate().map(|(place, entry)| (entry.key.clone(), place)).collect(),
            matcher,
            nodes: OnceLock::new(),
            scripts: OnceCell::new(),
            entries,
        }
    }

    /// The workspace's library, read again only where it has changed; `None` where it has no entry.
    ///
    /// # Errors
    /// What the store says.
    pub async fn open(services: &Services) -> StoreResult<Option<Arc<Self>>> {
        let revision = services.graph.library_revision().await?;
        Self::of_revision(services, revision).await
    }

    /// As [`Self::open`], where it is known how often the library was changed.
    pub(super) async fn of_revision(services: &Services, revision: u64) -> StoreResult<Option<Arc<Self>>> {
        if revision == 0 {
            return Ok(None);
        }
        let name = name_of(services);
        {
            let mut kept = LIBRARIES.lock().unwrap_or_else(PoisonError::into_inner);
            kept.retain(|(other, other_revision, _)| *other != name || *other_revision == revision);
            if let Some((_, _, library)) = kept.iter().find(|(other, ..)| *other == name) {
                return Ok(Some(Arc::clone(library)));
            }
        }
        let library = if let Some((entries, texts)) = stored::read(services, revision) {
            Self::of(entries, Matcher::of(texts, MatchWeights::default()))
        } else {
            let library = Self::new(services.graph.library().await?);
            stored::write(services, revision, &library.entries, library.matcher.texts());
            library
        };
        if library.entries.is_empty() {
            return Ok(None);
        }
        let library = Arc::new(library);
        let mut kept = LIBRARIES.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push((name, revision, Arc::clone(&library)));
        Ok(Some(library))
    }

    /// The nodes that entries are found by.
    pub(super) fn nodes(&self, services: &Services) -> &Nodes {
        self.nodes.get_or_init(|| {
            let ids = |entry: &LibraryEntry| -> Vec<Id> {
                entry.found_by(&services.ids).into_iter().map(|(id, _)| id).collect()
            };
            let of: Vec<Vec<Id>> = self.entries.iter().map(ids).collect();
            let placed = of.iter().enumerate().flat_map(|(place, ids)| ids.iter().map(move |id| (id, place)));
            Nodes { places: placed.map(|(id, place)| (id.clone(), place)).collect(), of }
        })
    }

    /// The nodes that an entry is found by, its answer last.
    pub(super) fn found_by(&self, place: usize, services: &Services) -> &[Id] {
        self.nodes(services).of.get(place).map(Vec::as_slice).unwrap_or_default()
    }

    pub(super) fn allows(&self, place: usize, conditions: &Conditions) -> bool {
        self.entries.get(place).is_some_and(|entry| conditions.allow(entry))
    }

    /// The entries that share most words with a question, surest first.
    pub(super) fn by_words(&self, question: &str, conditions: &Conditions, limit: usize) -> Vec<EntryMatch> {
        self.matcher.matches(question, &[], &|place| self.allows(place, conditions), limit)
    }

    /// An entry by its key.
    pub fn by_key(&self, key: &str) -> Option<&LibraryEntry> {
        self.keys.get(key).and_then(|place| self.entries.get(*place))
    }

    /// The entry at a place of a [`EntryMatch`].
    pub fn entry(&self, found: &EntryMatch) -> Option<&LibraryEntry> {
        self.entries.get(found.place)
    }
}
