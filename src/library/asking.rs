//! Asking the library: which entry answers a question, which ones come near, and what comes next.

use super::keeping;
use super::matching::words::ParsedQuestion;
use super::matching::{
    EntryMatch, asks_in_no_way, asks_one_thing, content_words, goes_on, is_continuation, is_elliptical,
    kinds_fit, names, names_anew, put_instead, says_nothing_known,
};
use super::memory::{Conditions, LIBRARIES, Library, name_of};
use super::senses::Senses;
use crate::config::QaConfig;
use crate::domain::{AskedQuestion, Id, LibraryEntry};
use crate::services::Services;
use anyhow::Result;
use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError};

/// How much likelier a follow-up of what was just spoken of is: its confidence to this power.
const FOLLOW_UP_POWER: f64 = 0.5;
/// How likely it is that "and how do I …?" begins something new.
const SOMETHING_NEW: f64 = 0.7;
/// Least confidence of the one follow-up that is meant by "and how long?".
const BARE_FOLLOW_UP: f64 = 0.75;
/// Confidence in a follow-up, by the words that it shares, from which on a question that goes on means it.
const SUPPORT: f64 = 0.25;
/// The same of a question that does not say that it goes on.
const STRONG_SUPPORT: f64 = 0.4;
/// How many times more than the second a follow-up has to share.
const CLEARLY_MORE: f64 = 2.0;

/// How much surer than the second an entry is that is put in place of the one spoken of.
const CLEAR: f64 = 0.05;

/// Confidence from which on an entry counts as spoken of, and as near to a question that no entry answers.
pub const NEAR: f64 = 0.04;
/// Share of the first's confidence from which on an entry is proposed beside it.
const FAINT: f64 = 0.1;

/// The first of what was found that are proposed where none is sure: by rank, since a question in other words shares little
/// with any entry. Those that share no word of a subject, and those that are far behind the first, are not.
pub fn proposed<'a>(found: &'a [EntryMatch], config: &QaConfig) -> impl Iterator<Item = &'a EntryMatch> {
    let least = found.first().map_or(0.0, |first| FAINT * first.confidence).max(config.suggest);
    found.iter().take(config.suggestions).take_while(move |found| found.confidence >= least)
}

impl Library {
    /// The library with how near questions are to its entries. Where it is in memory, the graph is asked whether it has
    /// changed while the vectors are asked for: two servers answer side by side.
    ///
    /// # Errors
    /// What the stores say.
    pub async fn open_for(
        services: &Services,
        questions: &[&str],
        conditions: &Conditions,
    ) -> Result<Option<(Arc<Self>, Senses)>> {
        let name = name_of(services);
        let kept = {
            let kept = LIBRARIES.lock().unwrap_or_else(PoisonError::into_inner);
            kept.iter()
                .find(|(other, ..)| *other == name)
                .map(|(_, revision, library)| (*revision, Arc::clone(library)))
        };
        let mut revision = None;
        if let Some((known, library)) = kept {
            let senses = Senses::of(services, &library, questions, conditions);
            let (now, senses) = futures::join!(services.graph.library_revision(), senses);
            let now = now?;
            if now == known {
                return Ok(Some((library, senses?)));
            }
            revision = Some(now);
        }
        let revision = match revision {
            Some(revision) => revision,
            None => services.graph.library_revision().await?,
        };
        let Some(library) = Self::of_revision(services, revision).await? else { return Ok(None) };
        let senses = Senses::of(services, &library, questions, conditions).await?;
        Ok(Some((library, senses)))
    }

    /// The entries that a question may mean, surest first. `earlier` are the questions of the conversation, oldest first:
    /// what they were about decides what "and how long does that take?" is about. `senses` are of the question and the
    /// earlier ones under the same conditions; without them words decide alone.
    pub fn ask(
        &self,
        question: &str,
        earlier: &[&str],
        conditions: &Conditions,
        (config, senses): (&QaConfig, &Senses),
        limit: usize,
    ) -> Vec<EntryMatch> {
        let spoken = self.spoken(earlier, conditions, (config, senses));
        self.ask_after(question, &spoken, conditions, (config, senses), limit)
    }

    /// Places of the entries that a conversation has spoken of, oldest first.
    pub fn spoken(
        &self,
        earlier: &[&str],
        conditions: &Conditions,
        (config, senses): (&QaConfig, &Senses),
    ) -> Vec<usize> {
        let mut spoken: Vec<usize> = Vec::new();
        for question in earlier {
            let found = self.ask_after(question, &spoken, conditions, (config, senses), 1);
            if let Some(found) = found.first().filter(|found| found.confidence >= NEAR) {
                spoken.push(found.place);
            }
        }
        spoken
    }

    /// As [`Self::ask`], where it is known what the conversation has spoken of.
    pub fn ask_after(
        &self,
        question: &str,
        spoken: &[usize],
        conditions: &Conditions,
        (config, senses): (&QaConfig, &Senses),
        limit: usize,
    ) -> Vec<EntryMatch> {
        let allowed = |place: usize| self.allows(place, conditions);
        let wanted = limit.max(3);
        let mut found = match senses.by_words(question, conditions, wanted) {
            Some(known) => known.to_vec(),
            None => self.by_words(question, conditions, wanted),
        };
        let fit = |place: usize| self.matcher.fit(question, place);
        senses.fuse(question, &mut found, config.accept, &fit, &allowed);
        if let Some(last) = spoken.last() {
            if is_continuation(question) {
                for found in &mut found {
                    found.confidence *= SOMETHING_NEW;
                }
            }
            let instead = self.instead(question, *last, &allowed);
            for next in self.next(question, *last, spoken, &allowed).into_iter().chain(instead) {
                match found.iter_mut().find(|known| known.place == next.place) {
                    Some(known) => known.confidence = known.confidence.max(next.confidence),
                    None => found.push(next),
                }
            }
            found.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then(a.place.cmp(&b.place)));
        }
        self.verbatim_first(question, &mut found);
        found.truncate(limit);
        found
    }

    /// Of entries that are as sure, puts the one first whose own question this is: with another it is but a variant.
    fn verbatim_first(&self, question: &str, found: &mut [EntryMatch]) {
        let Some(most) = found.first().map(|first| first.confidence) else { return };
        let asked = keeping::flat(question);
        let own = found.iter().position(|found| {
            let entry = self.entries.get(found.place);
            found.confidence >= most && entry.is_some_and(|entry| keeping::flat(&entry.question) == asked)
        });
        if let Some(own) = own
            && let Some(firsts) = found.get_mut(..=own)
        {
            firsts.rotate_right(1);
        }
    }

    /// The entry that says of what a question names what the last one says of something else: "and what about …?". None
    /// where two do so as well.
    fn instead(&self, question: &str, last: usize, allowed: &dyn Fn(usize) -> bool) -> Option<EntryMatch> {
        let named = put_instead(question)?;
        let before = self.entries.get(last)?;
        let among = |place: usize| {
            let entry = self.entries.get(place);
            let asks_alike = entry.is_some_and(|entry| kinds_fit(&before.question, entry.phrasings()));
            place != last && asks_alike && allowed(place)
        };
        let found = self.matcher.matches(&named, &[last], &among, 2);
        let first = found.first()?.clone();
        let clear = found.get(1).is_none_or(|second| first.confidence - second.confidence >= CLEAR);
        clear.then_some(first)
    }

    /// Follow-ups of what was spoken of that a question may mean.
    fn next(
        &self,
        question: &str,
        last: usize,
        spoken: &[usize],
        allowed: &dyn Fn(usize) -> bool,
    ) -> Vec<EntryMatch> {
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
        if let Some(place) = self.intended_follow_up(question, last, &follow_ups, &next) {
            let known = next.iter().find(|found| found.place == place).map_or(0.0, |found| found.confidence);
            next.retain(|found| found.place != place);
            next.push(EntryMatch { place, confidence: known.max(BARE_FOLLOW_UP) });
        }
        next
    }

    /// The follow-up that a question means which says little by itself: the only one that answers what it asks for, or the
    /// one that shares clearly most with it; none where the question names something that neither the follow-up nor what
    /// was spoken of says. `next` are the follow-ups that share words with it.
    fn intended_follow_up(
        &self,
        question: &str,
        last: usize,
        follow_ups: &BTreeSet<usize>,
        next: &[EntryMatch],
    ) -> Option<usize> {
        let fits = |place: &usize| {
            self.entries.get(*place).is_some_and(|entry| kinds_fit(question, entry.phrasings()))
        };
        let shared = |place: usize| {
            next.iter().find(|found| found.place == place).map_or(0.0, |found| found.confidence)
        };
        let mut fitting: Vec<usize> = follow_ups.iter().copied().filter(fits).collect();
        if fitting.is_empty() && asks_in_no_way(question) {
            fitting = follow_ups.iter().copied().collect();
        }
        fitting.sort_by(|a, b| shared(*b).total_cmp(&shared(*a)).then(a.cmp(b)));
        let first = *fitting.first()?;
        let is_clear = fitting
            .get(1)
            .is_none_or(|second| shared(first) >= SUPPORT && shared(first) >= CLEARLY_MORE * shared(*second));
        let says_little =
            is_elliptical(question) || is_continuation(question) && says_nothing_known(question);
        let is_meant = match shared(first) {
            support if support >= STRONG_SUPPORT => true,
            support if support >= SUPPORT => goes_on(question),
            _ => goes_on(question) && (says_little || asks_one_thing(question)) || is_elliptical(question),
        };
        let unsaid = || self.matcher.unsaid(question, &[last, first]);
        (is_clear && is_meant && !names_anew(question, &unsaid())).then_some(first)
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
        spoken: &[usize],
        conditions: &Conditions,
        most: usize,
    ) -> Vec<&LibraryEntry> {
        let mut seen: BTreeSet<usize> = spoken.iter().copied().chain([place]).collect();
        self.follow_ups(place)
            .chain(self.neighbours(place))
            .filter(|next| seen.insert(*next) && self.allows(*next, conditions))
            .filter_map(|next| self.entries.get(next))
            .take(most)
            .collect()
    }

    /// The nearest other entries of an entry.
    fn neighbours(&self, place: usize) -> impl Iterator<Item = usize> {
        let near = self.entries.get(place).map(|entry| entry.related.as_slice()).unwrap_or_default();
        near.iter().filter_map(|related| self.places.get(&related.id).copied())
    }

    /// What may be asked after an answer that no entry gave: the follow-ups of the entries that came near, then entries
    /// about the entities that the answer is made of, then those that came near; none that was spoken of.
    pub fn related_to(
        &self,
        near: &[usize],
        entities: &[Id],
        spoken: &[usize],
        conditions: &Conditions,
        most: usize,
    ) -> Vec<&LibraryEntry> {
        let rank = |entry: &LibraryEntry| {
            let ranks = entry.about.iter().filter_map(|id| entities.iter().position(|other| other == id));
            ranks.min()
        };
        let mut about: Vec<(usize, usize)> = Vec::new();
        if !entities.is_empty() {
            about.extend(
                self.entries.iter().enumerate().filter_map(|(place, entry)| Some((rank(entry)?, place))),
            );
            about.sort_unstable();
        }
        let mut seen: BTreeSet<usize> = spoken.iter().copied().collect();
        near.iter()
            .flat_map(|place| self.follow_ups(*place))
            .chain(about.into_iter().map(|(_, place)| place))
            .chain(near.iter().copied())
            .filter(|next| seen.insert(*next) && self.allows(*next, conditions))
            .filter_map(|next| self.entries.get(next))
            .take(most)
            .collect()
    }

    /// Whether a question asks for all that there is to say of something that several entries are about: "Give me an
    /// overview of fees".
    pub fn asks_for_a_theme(&self, question: &str, conditions: &Conditions) -> bool {
        const WHOLE: [&str; 18] = [
            "overview",
            "overall",
            "everything",
            "summary",
            "summarise",
            "summarize",
            "tell me about",
            "all about",
            "in general",
            "main points",
            "to know about",
            "总结",
            "概述",
            "概括",
            "汇总",
            "介绍一下",
            "都有哪些",
            "有哪些规定",
        ];
        const LISTED: [&str; 4] = ["are there", "do you have", "do you offer", "are available"];
        let flat = question.to_lowercase();
        let bare = flat.trim_end_matches(['?', '？', '.', '。', ' ']);
        // "what fees are there", 有哪些费用
        let listed = ["what ", "which "].iter().any(|begin| bare.starts_with(begin))
            && LISTED.iter().any(|end| bare.ends_with(end))
            || bare.ends_with("情况")
            || ["有哪些", "都有什么"].iter().any(|which| bare.starts_with(which) || bare.ends_with(which));
        (listed || WHOLE.iter().any(|whole| flat.contains(whole)))
            && self.named(question).filter(|place| self.allows(*place, conditions)).nth(1).is_some()
    }

    /// Places of the entries with a tag or a term whose words, or words of one meaning, a question holds.
    fn named(&self, question: &str) -> impl Iterator<Item = usize> {
        let question = ParsedQuestion::read(question);
        self.entries.iter().enumerate().filter_map(move |(place, entry)| {
            let named = |text: &String| names(text, &question);
            entry.tags.iter().chain(&entry.terms).any(named).then_some(place)
        })
    }

    /// The words of a question by which entries are named: its other words, such as "overview", are of no theme.
    fn theme(&self, question: &str, of: &[usize]) -> BTreeSet<String> {
        let asked = content_words(question).into_iter();
        let names: BTreeSet<String> = of
            .iter()
            .filter_map(|place| self.entries.get(*place))
            .flat_map(|entry| entry.tags.iter().chain(&entry.terms))
            .flat_map(|name| content_words(name))
            .collect();
        asked.filter(|word| names.is_empty() || names.contains(word)).collect()
    }

    /// Places of the entries of a theme: those whose tags or terms the question names, then of what is near and of the
    /// neighbours of these those that speak of it.
    pub fn neighbourhood(
        &self,
        question: &str,
        near: &[usize],
        conditions: &Conditions,
        most: usize,
    ) -> Vec<usize> {
        let named: Vec<usize> = self.named(question).collect();
        let around: Vec<usize> = named.iter().chain(near).flat_map(|place| self.neighbours(*place)).collect();
        let theme = self.theme(question, &named);
        let speaks = |place: &usize| {
            self.entries.get(*place).is_some_and(|entry| {
                let texts =
                    entry.phrasings().chain(entry.tags.iter().chain(&entry.terms).map(String::as_str));
                texts.flat_map(content_words).any(|word| theme.contains(&word))
            })
        };
        let beside: Vec<usize> = near.iter().copied().chain(around).filter(speaks).collect();
        let mut seen = BTreeSet::new();
        named
            .into_iter()
            .chain(beside)
            .filter(|place| seen.insert(*place) && self.allows(*place, conditions))
            .take(most)
            .collect()
    }
}

/// A question that was asked once, today; `outcome` says what came of it: `unanswered`, `refused` or `disliked`.
pub fn asked_today(question: &str, outcome: &str) -> AskedQuestion {
    AskedQuestion {
        question: question.trim().to_owned(),
        count: 1,
        last: chrono::Local::now().format("%Y-%m-%d").to_string(),
        outcome: outcome.to_owned(),
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
    let asked = asked_today(question, outcome);
    services.graph.add_asked_questions(&[asked]).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Ids, RelatedEntry};

    fn library(entries: &[(&str, &str)]) -> Library {
        let entry = |(key, question): &(&str, &str)| LibraryEntry {
            id: Ids::new("default").question(key),
            key: (*key).to_owned(),
            question: (*question).to_owned(),
            answer: "So it is.".to_owned(),
            ..LibraryEntry::default()
        };
        Library::new(entries.iter().map(entry).collect())
    }

    #[track_caller]
    fn goes_on_with(library: &Library, earlier: &str, question: &str, wanted: Option<&str>) {
        let (config, senses) = (QaConfig::default(), Senses::default());
        let found = library.ask(question, &[earlier], &Conditions::today(), (&config, &senses), 3);
        let sure = found.first().filter(|found| found.confidence >= config.accept);
        let key = sure.and_then(|found| library.entry(found)).map(|entry| entry.key.as_str());
        assert_eq!(key, wanted, "{earlier} {question} {found:?}");
    }

    #[test]
    fn what_is_put_in_place_of_the_last_is_asked_the_same_of() {
        let library = library(&[
            ("oak-fee", "How much is a ticket to Oak?"),
            ("elm-fee", "How much is a ticket to Elm?"),
            ("elm-when", "When does the boat to Elm leave?"),
            ("金卡", "金卡会员每年多少钱？"),
            ("银卡", "银卡会员每年多少钱？"),
            ("银卡游泳", "银卡会员能用游泳馆吗？"),
        ]);
        goes_on_with(&library, "How much is a ticket to Oak?", "And what about Elm?", Some("elm-fee"));
        goes_on_with(&library, "How much is a ticket to Oak?", "And what about Ash?", None);
        goes_on_with(&library, "金卡会员每年多少钱？", "那银卡呢？", Some("银卡"));
        goes_on_with(&library, "金卡会员每年多少钱？", "那铜卡呢？", None);
    }

    #[test]
    fn the_question_word_decides_among_follow_ups_unless_something_else_is_named() {
        let mut entries = library(&[
            ("freeze", "How do I freeze my membership?"),
            ("freeze-time", "How long can a membership be frozen?"),
            ("freeze-fee", "What does a freeze cost?"),
            ("deposit-back", "When is the deposit of a van returned?"),
            ("deposit", "How much is the deposit for a van?"),
            ("签约", "家庭医生怎么签约？"),
            ("签约期", "家庭医生签约一次管几年？"),
            ("续签", "家庭医生签约到期怎么续签？"),
        ])
        .entries;
        for (place, follow_ups) in
            [(0, &["freeze-time", "freeze-fee"][..]), (4, &["deposit-back"]), (5, &["签约期", "续签"])]
        {
            entries[place].follow_ups = follow_ups.iter().map(|key| (*key).to_owned()).collect();
        }
        let library = Library::new(entries);
        let freeze = "How do I freeze my membership?";
        goes_on_with(&library, freeze, "And what would I pay for that?", Some("freeze-fee"));
        goes_on_with(&library, freeze, "And how do I get rid of it again?", None);
        goes_on_with(&library, freeze, "And how long is the pool open?", None);
        goes_on_with(&library, freeze, "And how much is parking?", None);
        let deposit = "How much is the deposit for a van?";
        goes_on_with(&library, deposit, "When do I see that money again?", Some("deposit-back"));
        goes_on_with(&library, deposit, "And how long does a letter take?", None);
        goes_on_with(&library, "家庭医生怎么签约？", "那一次能管多久？", Some("签约期"));
        goes_on_with(&library, "家庭医生怎么签约？", "到期了呢？", Some("续签"));
        goes_on_with(&library, "家庭医生怎么签约？", "那停车多少钱？", None);
        goes_on_with(&library, "家庭医生怎么签约？", "那怎么解约？", None);
    }

    #[test]
    fn what_comes_next_are_follow_ups_then_what_shares_entities_and_nothing_that_was_spoken_of() {
        let mut entries = library(&[
            ("fee", "What is the fee?"),
            ("refund", "Can I get it back?"),
            ("velm", "Who founded Velm?"),
            ("tarn", "Where does Tarn lie?"),
            ("near", "What else costs something?"),
        ])
        .entries;
        let ids = Ids::new("default");
        entries[0].follow_ups = vec!["refund".to_owned(), "gone".to_owned()];
        entries[0].related = vec![
            RelatedEntry { id: entries[4].id.clone(), weight: 0.5 },
            RelatedEntry { id: entries[2].id.clone(), weight: 0.25 },
        ];
        entries[2].about = vec![ids.entity("velm")];
        entries[3].about = vec![ids.entity("tarn"), ids.entity("velm")];
        let library = Library::new(entries);
        let today = Conditions::today();
        let keys = |found: Vec<&LibraryEntry>| -> Vec<String> {
            found.into_iter().map(|entry| entry.key.clone()).collect()
        };
        assert_eq!(keys(library.related(0, &[], &today, 3)), ["refund", "near", "velm"]);
        assert_eq!(keys(library.related(0, &[1, 4], &today, 3)), ["velm"], "two were spoken of");
        // an answer of the search: the entity that it names first counts most
        let entities = [ids.entity("tarn"), ids.entity("velm")];
        assert_eq!(
            keys(library.related_to(&[0], &entities, &[], &today, 4)),
            ["refund", "tarn", "velm", "fee"]
        );
        assert_eq!(keys(library.related_to(&[0], &entities, &[1, 3], &today, 4)), ["velm", "fee"]);
    }

    #[test]
    fn a_theme_is_asked_for_in_several_ways_and_by_words_of_one_meaning() {
        let mut entries =
            library(&[("a", "What does a towel cost?"), ("b", "票价是多少？"), ("c", "What is a locker?")])
                .entries;
        for (place, tag) in [(0, "fees"), (1, "费用"), (2, "fees")] {
            entries[place].tags = vec![tag.to_owned()];
        }
        entries.push(LibraryEntry {
            key: "d".to_owned(),
            tags: vec!["费用".to_owned()],
            ..entries[1].clone()
        });
        let library = Library::new(entries);
        let conditions = Conditions::default();
        for question in
            ["What fees are there?", "Which charges do you have?", "费用有哪些？", "介绍一下收费情况"]
        {
            assert!(library.asks_for_a_theme(question, &conditions), "{question}");
        }
        for question in ["What is the fee for a towel?", "What dogs are there?", "毛巾有哪些？"] {
            assert!(!library.asks_for_a_theme(question, &conditions), "{question}");
        }
    }

    #[test]
    fn what_is_proposed_goes_by_rank_and_leaves_out_what_is_far_behind() {
        let config = QaConfig::default();
        let found = |confidences: &[f64]| -> Vec<EntryMatch> {
            (0..)
                .zip(confidences)
                .map(|(place, confidence)| EntryMatch { place, confidence: *confidence })
                .collect()
        };
        let shown = |confidences: &[f64]| proposed(&found(confidences), &config).count();
        assert_eq!(shown(&[0.02, 0.01, 0.01, 0.01]), 3);
        assert_eq!(shown(&[0.5, 0.2, 0.02]), 2);
        assert_eq!(shown(&[0.0001]), 0);
    }

    #[test]
    fn of_two_entries_the_one_whose_own_question_it_is_comes_first() {
        let mut entries = library(&[("z", "May I bring a rabbit?"), ("y", "May rabbits come?")]).entries;
        entries[1].variants = vec!["May I bring a rabbit?".to_owned()];
        entries.reverse();
        let library = Library::new(entries);
        let (config, senses) = (QaConfig::default(), Senses::default());
        let found = library.ask("may I bring a rabbit", &[], &Conditions::today(), (&config, &senses), 2);
        assert_eq!(
            found.first().and_then(|found| library.entry(found)).map(|entry| entry.key.as_str()),
            Some("z")
        );
    }
}
