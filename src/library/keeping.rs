//! Keeping the library: entries come in, are changed, retired and linked; every change is data that can be undone.

use crate::domain::{
    Absent, EntryStatus, Id, LibraryChange, LibraryEntry, RelatedEntry, StaleCitation, name_key,
};
use crate::language::words::is_han;
use crate::library::matching::Matcher;
use crate::library::{evidence, matching};
use crate::services::Services;
use crate::stores::graph::GraphReader;
use anyhow::{Result, bail};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use unicode_segmentation::UnicodeSegmentation;

/// Words of the longest name of an entity that is looked for in a question.
const LONGEST_NAME: usize = 5;
/// Related entries that are kept of each.
const RELATED: usize = 6;
/// A trait of more entries than this relates none of them.
const COMMON: usize = 60;
/// Entries that are compared with all others in the words of the matcher: of more only what is the same is told.
const COMPARED: usize = 500;
/// Entries that a new one is compared with from both sides.
const LIKEST: usize = 5;
/// Entities that are looked up at once.
const LOOKED_UP: usize = 5_000;

/// What an import did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportCounts {
    /// Entries that are new.
    pub added: usize,
    /// Entries that differ from what was there.
    pub changed: usize,
    /// Entries that are as they were.
    pub unchanged: usize,
}

/// Who changes what, and when.
#[derive(Clone, Debug, Default)]
pub struct Hand {
    /// Empty where nobody said.
    pub author: String,
    /// `add`, `edit`, `import`, …
    pub action: String,
    /// `YYYY-MM-DDTHH:MM:SSZ`.
    pub at: String,
}

impl Hand {
    /// Somebody, now.
    pub fn now(author: &str, action: &str) -> Self {
        let at = chrono::Utc::now().format("%Y-%m-%dT%H:%M:%SZ").to_string();
        Self { author: author.to_owned(), action: action.to_owned(), at }
    }
}

/// An entry by its key.
///
/// # Errors
/// What the store says; no entry of that key, with the nearest keys.
pub async fn entry(services: &Services, key: &str) -> Result<LibraryEntry> {
    let found = services.graph.library_entries(&[services.ids.question(key)]).await?;
    match found.into_iter().next() {
        Some(entry) => Ok(entry),
        None => {
            Err(Absent(format!("the library has no entry {key:?}; `graphwright qa list` shows them all"))
                .into())
        }
    }
}

/// Takes entries in; one with a known id replaces it. Those `without_status` keep the status they have.
///
/// # Errors
/// What the store says.
pub async fn import(
    services: &Services,
    entries: Vec<LibraryEntry>,
    without_status: &BTreeSet<Id>,
    hand: &Hand,
) -> Result<ImportCounts> {
    let known = services.graph.library().await?;
    let mut before: BTreeMap<Id, LibraryEntry> =
        known.into_iter().map(|entry| (entry.id.clone(), entry)).collect();
    let mut done = ImportCounts::default();
    let mut writes = Vec::new();
    for mut entry in entries {
        let old = before.remove(&entry.id);
        if !hand.author.is_empty() || entry.author.is_empty() {
            let author = old.as_ref().map(|old| old.author.clone()).unwrap_or_default();
            entry.author = if hand.author.is_empty() { author } else { hand.author.clone() };
        }
        if let Some(old) = &old
            && entry.citations.is_empty()
            && entry.answer == old.answer
        {
            // a table has no citations: those of an answer that stays stay
            entry.citations.clone_from(&old.citations);
        }
        if let Some(old) = old.as_ref().filter(|_| without_status.contains(&entry.id)) {
            entry.status = old.status;
        }
        match &old {
            None => done.added += 1,
            Some(old) if same(old, &entry) => {
                done.unchanged += 1;
                continue;
            }
            Some(_) => done.changed += 1,
        }
        writes.push((old, Some(entry)));
    }
    if !writes.is_empty() {
        save(services, writes, hand).await?;
    }
    Ok(done)
}

/// Which phrasings of these entries are those of another one, a sentence each: both would be as sure.
///
/// # Errors
/// What the store says.
pub async fn doubles(services: &Services, ids: &[Id]) -> Result<Vec<String>> {
    let mut library = services.graph.library().await?;
    library.retain(|entry| entry.status != EntryStatus::Retired);
    library.sort_by(|a, b| a.key.cmp(&b.key));
    let mut holders: BTreeMap<String, Vec<&LibraryEntry>> = BTreeMap::new();
    for entry in &library {
        let phrasings: BTreeSet<String> = entry.phrasings().map(flat).collect();
        for phrasing in phrasings {
            holders.entry(phrasing).or_default().push(entry);
        }
    }
    let mut told = Vec::new();
    let mut alike: BTreeSet<(&str, &str)> = BTreeSet::new();
    for entry in library.iter().filter(|entry| ids.contains(&entry.id)) {
        for phrasing in entry.phrasings() {
            let others = holders.get(&flat(phrasing)).into_iter().flatten();
            for other in others.filter(|other| other.id != entry.id) {
                alike.insert((entry.key.as_str(), other.key.as_str()));
                told.push(format!(
                    "{} asks {phrasing:?} as {} does; keep it in one of them",
                    entry.key, other.key
                ));
            }
        }
    }
    if ids.len() <= COMPARED {
        let near = near_doubles(&library, ids, services.config.qa.accept);
        let near =
            near.into_iter().filter(|(one, other)| !alike.contains(&(one.key.as_str(), other.key.as_str())));
        told.extend(near.map(|(one, other)| {
            format!(
                "{} asks almost what {} asks ({:?}), and each answers the other's question; keep one of them, or say in both \
                 questions what they differ in",
                one.key, other.key, other.question
            )
        }));
    }
    Ok(told)
}

/// Entries with one of these ids and another entry, each of which would be given for the other's question.
fn near_doubles<'a>(
    library: &'a [LibraryEntry],
    ids: &[Id],
    accept: f64,
) -> Vec<(&'a LibraryEntry, &'a LibraryEntry)> {
    let matcher = Matcher::new(library);
    let given = |entry: &LibraryEntry, question: &str| {
        let found = Matcher::new(std::slice::from_ref(entry)).matches(question, &[], &|_| true, 1);
        found.first().is_some_and(|found| found.confidence >= accept)
    };
    let mut near = Vec::new();
    for (place, entry) in library.iter().enumerate().filter(|(_, entry)| ids.contains(&entry.id)) {
        let found = matcher.matches(&entry.question, &[], &|other| other != place, LIKEST);
        let mut others = found.iter().filter_map(|found| library.get(found.place));
        let both = others.find(|other| given(other, &entry.question) && given(entry, &other.question));
        near.extend(both.map(|other| (entry, other)));
    }
    near
}

/// A question as it is compared with another one: whatever its case, white space and last mark.
pub(crate) fn flat(question: &str) -> String {
    let words = question.to_lowercase();
    let words: Vec<&str> = words.split_whitespace().collect();
    words.join(" ").trim_end_matches(['?', '？', '.', '。', '!', '！', ' ']).to_owned()
}

/// Whether two states of an entry say the same, whoever wrote them.
fn same(one: &LibraryEntry, other: &LibraryEntry) -> bool {
    let bare = |entry: &LibraryEntry| LibraryEntry {
        about: Vec::new(),
        related: Vec::new(),
        stale: Vec::new(),
        author: String::new(),
        source: crate::domain::EntrySource::Manual,
        ..entry.clone()
    };
    bare(one) == bare(other)
}

/// Writes changes (as it was, as it is to be) and brings what follows from the whole library up to date.
///
/// # Errors
/// What the store says.
pub async fn save(
    services: &Services,
    writes: Vec<(Option<LibraryEntry>, Option<LibraryEntry>)>,
    hand: &Hand,
) -> Result<()> {
    let writes = writes.into_iter();
    let writes = writes.map(|(before, after)| Write { before, after, action: hand.action.clone() });
    write(services, writes.collect(), hand).await
}

/// Takes drafts out that rest on documents which are there no more: nobody has approved their text. It also leaves the list
/// of changes, which then only says that there was a change. Gives how many.
///
/// # Errors
/// What the store says.
pub async fn forget_drafts(services: &Services, hand: &Hand) -> Result<usize> {
    let mut gone = Vec::new();
    for entry in
        services.graph.library().await?.into_iter().filter(|entry| entry.status == EntryStatus::Draft)
    {
        let keys: BTreeSet<&str> =
            entry.citations.iter().map(|citation| citation.document.as_str()).collect();
        let ids: Vec<Id> = keys.iter().map(|key| services.ids.document(key)).collect();
        if services.graph.documents_by_id(&ids).await?.len() < ids.len() {
            gone.push((Some(entry), None));
        }
    }
    let keys: Vec<String> = gone.iter().flat_map(|(entry, _)| entry).map(|entry| entry.key.clone()).collect();
    if keys.is_empty() {
        return Ok(0);
    }
    save(services, gone, hand).await?;
    let mut emptied = Vec::new();
    for key in &keys {
        let changes = services.graph.library_changes(Some(key)).await?;
        emptied.extend(changes.into_iter().map(|change| LibraryChange {
            before: None,
            after: None,
            ..change
        }));
    }
    services.graph.save_library(&[], &[], &emptied).await?;
    Ok(keys.len())
}

/// Whether the text of a change left the list of changes with the documents that it rested on.
fn is_emptied(change: &LibraryChange) -> bool {
    change.before.is_none() && change.after.is_none()
}

/// A change of one entry.
struct Write {
    before: Option<LibraryEntry>,
    after: Option<LibraryEntry>,
    action: String,
}

async fn write(services: &Services, writes: Vec<Write>, hand: &Hand) -> Result<()> {
    let mut library: BTreeMap<Id, LibraryEntry> =
        services.graph.library().await?.into_iter().map(|entry| (entry.id.clone(), entry)).collect();
    let stored = library.clone();
    let (mut gone, mut changes) = (Vec::new(), Vec::new());
    for Write { before, after, action } in writes {
        let Some(key) = after.as_ref().or(before.as_ref()).map(|entry| entry.key.clone()) else { continue };
        match (&before, &after) {
            (_, Some(entry)) => {
                library.insert(entry.id.clone(), entry.clone());
            }
            (Some(entry), None) => {
                library.remove(&entry.id);
                gone.push(entry.id.clone());
            }
            (None, None) => {}
        }
        changes.push(LibraryChange {
            sequence: 0,
            at: hand.at.clone(),
            author: hand.author.clone(),
            action,
            key,
            before,
            after,
        });
    }
    let entries = projected(services, library, &stored).await?;
    services.graph.save_library(&entries, &gone, &changes).await?;
    Ok(())
}

/// Brings what follows from the graph and the whole library up to date; gives how many entries that changed.
///
/// # Errors
/// What the store says.
pub async fn project(services: &Services) -> Result<usize> {
    let library: BTreeMap<Id, LibraryEntry> =
        services.graph.library().await?.into_iter().map(|entry| (entry.id.clone(), entry)).collect();
    let changed = projected(services, library.clone(), &library).await?;
    if !changed.is_empty() {
        services.graph.save_library(&changed, &[], &[]).await?;
    }
    Ok(changed.len())
}

/// Entries whose entities, neighbours or stale citations are not those that follow from the graph and the whole library, by
/// id.
///
/// # Errors
/// What the store says.
pub async fn unlike(services: &Services) -> Result<Vec<Id>> {
    let library: BTreeMap<Id, LibraryEntry> =
        services.graph.library().await?.into_iter().map(|entry| (entry.id.clone(), entry)).collect();
    if library.is_empty() {
        return Ok(Vec::new());
    }
    let changed = projected(services, library.clone(), &library).await?;
    Ok(changed.into_iter().map(|entry| entry.id).collect())
}

/// The entries that differ from what is stored, once the entities they are about, their neighbours and what of their
/// citations is stale are known.
async fn projected(
    services: &Services,
    mut library: BTreeMap<Id, LibraryEntry>,
    stored: &BTreeMap<Id, LibraryEntry>,
) -> Result<Vec<LibraryEntry>> {
    let mut about = entities(services, services.graph.as_ref(), &library).await?;
    for entry in library.values_mut() {
        entry.about = about.remove(&entry.id).unwrap_or_default();
    }
    let entries: Vec<&LibraryEntry> = library.values().collect();
    let related = related(&entries);
    for (entry, related) in library.values_mut().zip(related) {
        entry.related = related;
    }
    let mut stale = stale(services, &library).await?;
    for entry in library.values_mut() {
        entry.stale = stale.remove(&entry.id).unwrap_or_default();
    }
    Ok(library.into_values().filter(|entry| stored.get(&entry.id) != Some(entry)).collect())
}

/// What of the citations of entries that are not retired does not hold any more.
async fn stale(
    services: &Services,
    library: &BTreeMap<Id, LibraryEntry>,
) -> Result<BTreeMap<Id, Vec<StaleCitation>>> {
    let cites = |entry: &&LibraryEntry| entry.status != EntryStatus::Retired && !entry.citations.is_empty();
    let citing: Vec<LibraryEntry> = library.values().filter(cites).cloned().collect();
    if citing.is_empty() {
        return Ok(BTreeMap::new());
    }
    let (stale, _) = evidence::check(services, services.graph.as_ref(), &citing).await?;
    Ok(stale.into_iter().map(|entry| (services.ids.question(&entry.key), entry.citations)).collect())
}

/// The entities whose name or alias stands in a question, its variants or its terms.
async fn entities(
    services: &Services,
    reader: &dyn GraphReader,
    library: &BTreeMap<Id, LibraryEntry>,
) -> Result<BTreeMap<Id, Vec<Id>>> {
    let mut named: BTreeMap<String, BTreeSet<Id>> = BTreeMap::new();
    for entry in library.values() {
        for text in entry.phrasings().chain(entry.terms.iter().map(String::as_str)) {
            for key in name_candidates(text) {
                named.entry(key).or_default().insert(entry.id.clone());
            }
        }
    }
    let keys: Vec<String> = named.keys().cloned().collect();
    let mut about: BTreeMap<Id, Vec<Id>> = BTreeMap::new();
    for keys in keys.chunks(LOOKED_UP) {
        let resolution = reader.resolution_of(keys).await?;
        let mut by_id: BTreeMap<Id, BTreeSet<Id>> = BTreeMap::new();
        for key in keys {
            let entity = services.ids.entity(resolution.get(key).unwrap_or(key));
            by_id.entry(entity).or_default().extend(named.get(key).into_iter().flatten().cloned());
        }
        let wanted: Vec<Id> = by_id.keys().cloned().collect();
        let found = reader.entities_by_id(&wanted).await?.into_iter();
        for entity in found.filter(|entity| !matching::is_general(&entity.name)) {
            for question in by_id.get(&entity.id).into_iter().flatten() {
                about.entry(question.clone()).or_default().push(entity.id.clone());
            }
        }
    }
    for entities in about.values_mut() {
        entities.sort_unstable();
        entities.dedup();
    }
    Ok(about)
}

/// Keys of what could be a name in a text.
fn name_candidates(text: &str) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    let words: Vec<(usize, &str)> = text.unicode_word_indices().collect();
    for (first, (start, _)) in words.iter().enumerate() {
        for (last, word) in words.iter().skip(first).take(LONGEST_NAME) {
            if let Some(run) = text.get(*start..last + word.len()) {
                keys.insert(name_key(run));
            }
        }
    }
    let han: Vec<char> = text.chars().collect();
    for length in 2..=8 {
        for run in han.windows(length).filter(|run| run.iter().all(|c| is_han(*c))) {
            keys.insert(name_key(&run.iter().collect::<String>()));
        }
    }
    keys.retain(|key| !key.is_empty() && !crate::language::is_stop_word(key));
    keys
}

/// For each entry the nearest others of its language, by the words, tags, terms and entities that few entries share.
fn related(entries: &[&LibraryEntry]) -> Vec<Vec<RelatedEntry>> {
    let traits: Vec<BTreeSet<String>> = entries.iter().map(|entry| traits_of(entry)).collect();
    let mut places: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (place, traits) in traits.iter().enumerate() {
        for one in traits {
            places.entry(one).or_default().push(place);
        }
    }
    let weight = |one: &str| {
        let count = places.get(one).map_or(1, Vec::len);
        (entries.len() as f64 / count as f64).ln_1p()
    };
    let sums: Vec<f64> = traits.iter().map(|traits| traits.iter().map(|one| weight(one)).sum()).collect();
    traits
        .iter()
        .enumerate()
        .map(|(place, own)| {
            let mut shared: BTreeMap<usize, f64> = BTreeMap::new();
            for one in own {
                let others = places.get(one.as_str()).filter(|others| others.len() <= COMMON);
                for other in others.into_iter().flatten().filter(|other| **other != place) {
                    *shared.entry(*other).or_default() += weight(one);
                }
            }
            let mut nearest: Vec<(f64, &Id)> = shared
                .into_iter()
                .filter_map(|(other, shared)| {
                    let entry = entries.get(other)?;
                    let whole = sums.get(place)? + sums.get(other)?;
                    let fits = entries.get(place)?.language == entry.language
                        && entry.status != EntryStatus::Retired;
                    (fits && whole > 0.0).then_some((2.0 * shared / whole, &entry.id))
                })
                .collect();
            nearest.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
            nearest.truncate(RELATED);
            let rounded = |weight: f64| (weight * 1000.0).round() / 1000.0;
            nearest
                .into_iter()
                .map(|(weight, id)| RelatedEntry { id: id.clone(), weight: rounded(weight) })
                .collect()
        })
        .collect()
}

/// What an entry shares with others: content words that say more than how it asks, tags, terms, entities.
fn traits_of(entry: &LibraryEntry) -> BTreeSet<String> {
    let words = entry.phrasings().flat_map(matching::content_words).filter(|word| !matching::only_asks(word));
    let mut traits: BTreeSet<String> = words.map(|word| format!("word {word}")).collect();
    traits.extend(entry.tags.iter().map(|tag| format!("tag {tag}")));
    traits.extend(entry.terms.iter().map(|term| format!("term {}", name_key(term))));
    traits.extend(entry.about.iter().map(|entity| format!("entity {entity}")));
    traits
}

/// What is taken back at once where no number is given.
const WHOLE: [&str; 2] = ["import", "retire"];

/// Takes a change back: the one with a sequence, or the last one. An import or a retirement of several entries that was the
/// last goes back as a whole. What it undoes is told, last change first.
///
/// # Errors
/// No such change; an entry that was changed again since.
pub async fn undo(services: &Services, sequence: Option<u64>, author: &str) -> Result<Vec<LibraryChange>> {
    let changes = services.graph.library_changes(None).await?;
    let undone: BTreeSet<u64> =
        changes.iter().filter_map(|change| change.action.strip_prefix("undo ")?.parse().ok()).collect();
    let mut wanted = changes.iter().rev().filter(|change| match sequence {
        Some(sequence) => change.sequence == sequence,
        None => {
            !undone.contains(&change.sequence) && !change.action.starts_with("undo ") && !is_emptied(change)
        }
    });
    let Some(last) = wanted.next() else {
        match sequence {
            Some(sequence) => {
                let missing =
                    format!("the library has no change {sequence}; `graphwright qa history` lists them");
                return Err(Absent(missing).into());
            }
            None => bail!("the library has no change that could be undone"),
        }
    };
    if is_emptied(last) {
        bail!(
            "change {} of {} cannot be undone: its text went with the documents that it rested on",
            last.sequence,
            last.key
        );
    }
    let mut back = vec![last];
    if sequence.is_none() && WHOLE.contains(&last.action.as_str()) {
        // one command changes an entry once
        let mut seen = BTreeSet::from([last.key.as_str()]);
        back.extend(wanted.take_while(|change| {
            let same = (&change.at, &change.author, &change.action) == (&last.at, &last.author, &last.action);
            same && seen.insert(change.key.as_str())
        }));
    }
    let ids: Vec<Id> = back.iter().map(|change| services.ids.question(&change.key)).collect();
    let now = services.graph.library_entries(&ids).await?;
    let now: BTreeMap<Id, LibraryEntry> = now.into_iter().map(|entry| (entry.id.clone(), entry)).collect();
    let (mut writes, mut done) = (Vec::new(), Vec::new());
    for change in back {
        let id = services.ids.question(&change.key);
        let current = now.get(&id).cloned();
        let unchanged = match (&current, &change.after) {
            (Some(current), Some(after)) => same(current, after),
            (None, None) => true,
            _ => false,
        };
        if !unchanged {
            bail!(
                "{} was changed again since change {}; undo the later changes first (`graphwright qa history {}`)",
                change.key,
                change.sequence,
                change.key
            );
        }
        writes.push(Write {
            before: current,
            after: change.before.clone(),
            action: format!("undo {}", change.sequence),
        });
        done.push(change.clone());
    }
    write(services, writes, &Hand::now(author, "undo")).await?;
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Ids;

    fn entries(questions: &[&str]) -> Vec<LibraryEntry> {
        let entry = |question: &&str| LibraryEntry {
            id: Ids::new("default").question(question),
            key: (*question).to_owned(),
            question: (*question).to_owned(),
            answer: "So it is.".to_owned(),
            language: crate::library::tables::language_tag(question).to_owned(),
            ..LibraryEntry::default()
        };
        questions.iter().map(entry).collect()
    }

    #[test]
    fn two_entries_that_each_answer_the_other_are_told() {
        let near = |questions: &[&str]| {
            let library = entries(questions);
            near_doubles(&library, &[library[0].id.clone()], 0.55).len()
        };
        assert_eq!(near(&["星澜科技员工有多少？", "星澜科技有多少员工？"]), 1);
        assert_eq!(near(&["How can I rent a towel?", "How do I rent a towel?"]), 1);
        for other in ["How do I return a towel?", "What does it cost to rent a towel?", "Where is the sauna?"]
        {
            assert_eq!(near(&["How can I rent a towel?", other]), 0, "{other}");
        }
    }

    #[test]
    fn entries_that_share_only_how_they_ask_are_not_related() {
        let mut library = entries(&[
            "What does a day ticket cost?",
            "What does a checked bag cost?",
            "When does a day ticket expire?",
            "票价是多少？",
            "行李费的价格是多少？",
        ]);
        let places = |library: &[LibraryEntry], place: usize| -> Vec<usize> {
            let all: Vec<&LibraryEntry> = library.iter().collect();
            let near = related(&all).swap_remove(place);
            near.iter().filter_map(|near| library.iter().position(|entry| entry.id == near.id)).collect()
        };
        assert_eq!(places(&library, 0), [2], "a ticket, not a cost");
        assert!(places(&library, 1).is_empty());
        // an entity relates what shares no word
        let shared = Ids::new("default").entity("velm");
        library[1].about = vec![shared.clone()];
        library[2].about = vec![shared];
        assert_eq!(places(&library, 1), [2]);
    }

    #[test]
    fn what_a_question_asks_for_is_no_entity() {
        for name in ["cost", "adults cost", "Ticket price", "费用", "价格"] {
            assert!(matching::is_general(name), "{name}");
        }
        for name in ["Credit card", "Velm", "Costa Coffee", "Day 3", "云溪大桥", "信用卡"] {
            assert!(!matching::is_general(name), "{name}");
        }
    }
}
