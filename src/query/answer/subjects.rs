//! Of whom a sentence tells the deed that a question asks of somebody: of who stands before it as its subject, or of whom
//! a pronoun there leads to. "Tom Finch resigned because he was ill" is no cause of Ruth Abara's resignation.

use super::candidates::AnswerCandidate;
use super::clauses::bare;
use super::concepts::{Concept, IndexedSentence, is_another_act, same};
use super::doers::{others_in, others_who_act};
use crate::language::is_stop_word;
use crate::language::questions::{find_name, is_participle, stem};
use crate::language::vocabulary::genders::gender_of;
use crate::language::vocabulary::titles::{Gender, is_abbreviated};
use crate::language::words::is_han;
use crate::query::question::{Asks, Question, flatten};

/// Sentences before one with a pronoun in which it is looked for whom it means.
const BACK: usize = 3;
/// Words between a name and the deed that is still its own, beside auxiliaries and adverbs.
const AUXILIARIES: [&str; 22] = [
    "was", "were", "is", "are", "has", "have", "had", "been", "did", "does", "do", "then", "also", "later",
    "soon", "who", "never", "not", "once", "first", "finally", "both",
];
/// Words behind which a name is no subject, and with which what stands between a subject and its deed may begin.
const PREPOSITIONS: [&str; 17] = [
    "of", "in", "at", "from", "with", "for", "to", "on", "near", "after", "before", "until", "under",
    "about", "against", "than", "like",
];

/// The deed that a question asks of whom it names: "resign" of "Why did Ruth Abara resign?".
pub(super) struct Deed {
    /// Words that say it: stems, or pieces of Chinese text.
    words: Vec<String>,
    /// Whether it was done to whom the question names: "Why was Ruth Abara dismissed?".
    is_passive: bool,
}

impl Deed {
    /// Nothing where a question does not ask when, where or why somebody whom it names did something.
    pub(super) fn of(question: &Question, concepts: &[Concept]) -> Option<Self> {
        if !matches!(question.asks, Asks::Reason | Asks::Time | Asks::Place) && !question.asks_means {
            return None;
        }
        let flat = flatten(&question.text);
        if flat.chars().any(is_han) {
            Self::in_chinese(question, &flat, concepts)
        } else {
            Self::in_english(question, &flat)
        }
    }

    fn in_english(question: &Question, flat: &str) -> Option<Self> {
        const ASKING: [&str; 10] = ["did", "does", "do", "has", "have", "had", "was", "were", "is", "are"];
        let names = question.names.iter().filter(|name| !name.is_word).flat_map(|name| &name.whole);
        let (begin, end) = names.filter_map(|name| find_name(flat, name)).min()?;
        let mut before = flat.get(..begin)?.split_whitespace().rev();
        let auxiliary = before.find(|word| *word != "the")?;
        let behind = flat.get(end..)?;
        let verb = behind.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty())?;
        if !ASKING.contains(&auxiliary)
            || behind.starts_with(['\'', '’', ','])
            || verb.ends_with("ly")
            || is_stop_word(verb)
            || ["is", "are"].contains(&auxiliary) && !is_participle(verb)
        {
            return None;
        }
        let is_passive = ["was", "were", "is", "are"].contains(&auxiliary) && is_participle(verb);
        Some(Self { words: same(verb), is_passive })
    }

    fn in_chinese(question: &Question, flat: &str, concepts: &[Concept]) -> Option<Self> {
        let names = question.names.iter().flat_map(|name| &name.whole);
        let (_, end) = names.filter_map(|name| find_name(flat, name)).min()?;
        let behind = flat.get(end..)?;
        // 张三的妻子为什么离家 asks of the wife
        if behind.starts_with(['的', '之', '和', '与']) {
            return None;
        }
        let deeds = concepts.iter().filter(|concept| !concept.is_name && !concept.is_named());
        let deed = deeds
            .filter_map(|deed| Some((behind.find(deed.text.as_str())?, deed)))
            .min_by_key(|(at, _)| *at)?
            .1;
        Some(Self { words: deed.pieces().map(str::to_owned).collect(), is_passive: behind.contains('被') })
    }

    /// Of whom a sentence tells the deed, where that is sure: of somebody else each time, or of whom the question names by a
    /// pronoun or a part of the name. `before` are the candidates ahead of it, the last one first.
    pub(super) fn doer<'a, 'c: 'a>(
        &self,
        question: &Question,
        this: &AnswerCandidate<'_>,
        concepts: &[Concept],
        before: impl Iterator<Item = &'a AnswerCandidate<'c>>,
    ) -> Option<Doer> {
        let in_other_words = self.in_other_words(this, concepts);
        if !self.stands_in(this) && in_other_words.is_empty() {
            return None;
        }
        let is_about_asked = is_about_asked(this, concepts);
        let before: Vec<NameOccurrences<'_>> =
            before.take(BACK).map(|candidate| NameOccurrences::of(question, candidate, concepts)).collect();
        let this = NameOccurrences::of(question, this, concepts);
        let doers = if this.is_han {
            self.doers_in_chinese(&this, &before)
        } else {
            self.doers_in_english((&this, &in_other_words), &before, is_about_asked)
        };
        if !doers.is_empty() && doers.iter().all(|doer| *doer == Some(Doer::Other)) {
            return Some(Doer::Other);
        }
        (!this.is_han && doers.contains(&Some(Doer::Asked))).then_some(Doer::Asked)
    }

    /// Where a sentence says the deed in other words: "killed" of "die".
    fn in_other_words(&self, this: &AnswerCandidate<'_>, concepts: &[Concept]) -> Vec<usize> {
        let is_deed = |concept: &Concept| !concept.is_name && self.words.contains(&stem(&concept.text));
        let deeds = this
            .found
            .iter()
            .zip(concepts)
            .filter(|(found, concept)| is_deed(concept) && found.strength >= IN_OTHER_WORDS);
        deeds.flat_map(|(found, _)| found.at.iter().copied()).collect()
    }

    fn stands_in(&self, this: &AnswerCandidate<'_>) -> bool {
        let IndexedSentence { flat, stems, .. } = &*this.indexed;
        let says = |word: &String| {
            if this.indexed.is_han() { flat.contains(word.as_str()) } else { stems.get(word).is_some() }
        };
        self.words.iter().any(says)
    }

    /// Who does it, for each place where an English text tells it; nothing where that cannot be told.
    fn doers_in_english(
        &self,
        (this, in_other_words): (&NameOccurrences<'_>, &[usize]),
        before: &[NameOccurrences<'_>],
        is_about_asked: impl Fn(Option<Gender>) -> bool,
    ) -> Vec<Option<Doer>> {
        let words = &this.words;
        let says =
            |at: usize, word: &str| self.words.contains(&stem(bare(word))) || in_other_words.contains(&at);
        let places = words.iter().enumerate().filter(|(at, word)| says(*at, word)).map(|(at, _)| at);
        let doer = |at: usize| {
            let begin = this.sentence_of(at);
            let end = (at..words.len()).find(|place| ends(words, *place)).unwrap_or(words.len());
            let named_behind = this.asked.iter().any(|place| *place > at && *place <= end);
            let by = |place: &usize| {
                *place > at && *place <= end && words.get(place - 1).is_some_and(|word| *word == "by")
            };
            if named_behind && (self.is_passive || this.asked.iter().any(by)) {
                return Some(Doer::Asked);
            }
            // "Mayor Bloom dismissed her" may be what was done to whom the question names
            let ahead = words.get(begin..at).unwrap_or_default();
            let is_passive =
                ahead.iter().any(|word| ["was", "were", "been", "being", "is", "are"].contains(word));
            // "Hugh, born in 1931," leaves the auxiliary out
            let is_apposition = ahead.last().is_some_and(|word| word.ends_with(','));
            if self.is_passive && !is_passive && !is_apposition {
                return None;
            }
            match this.subject(begin, at)? {
                GrammaticalSubject::Doer(doer) => Some(doer),
                GrammaticalSubject::Pronoun(gender) => {
                    // in what is written of her, "she" is another only behind the name of a woman
                    let is_about_asked = is_about_asked(gender);
                    let first =
                        |text: &NameOccurrences<'_>, end: usize| text.first_name(end, gender, is_about_asked);
                    let ahead = first(this, begin);
                    let ahead =
                        ahead.or_else(|| before.iter().find_map(|other| first(other, other.words.len())));
                    ahead.or_else(|| is_about_asked.then_some(Doer::Asked))
                }
            }
        };
        places.map(doer).collect()
    }

    /// The same of a Chinese text.
    fn doers_in_chinese(
        &self,
        this: &NameOccurrences<'_>,
        before: &[NameOccurrences<'_>],
    ) -> Vec<Option<Doer>> {
        let flat = this.flat;
        let places = self
            .words
            .iter()
            .flat_map(|word| flat.match_indices(word.as_str()).map(move |(at, _)| (at, word)));
        let places = places.filter(|(at, word)| !is_another_act(flat, *at, word));
        let doer = |at: usize| {
            let begin = flat.get(..at)?.rfind(['。', '！', '？', '；', '“', '”', '"']).unwrap_or(0);
            if self.is_passive && !flat.get(begin..at)?.contains('被') {
                return None;
            }
            let (asked, others) = (within(&this.asked, begin, at), within(&this.others, begin, at));
            let last =
                |places: &[usize]| places.iter().copied().filter(|place| is_han_subject(flat, *place)).max();
            match (last(&asked), last(&others)) {
                (one, Some(other)) if one.is_none_or(|one| one < other) => {
                    // a clause has one subject, however long it is
                    let gap = flat.get(other..at)?;
                    let is_near = !gap.contains('，') || gap.chars().count() <= REACH;
                    is_near.then_some(Doer::Other)
                }
                (Some(_), _) => Some(Doer::Asked),
                _ if asked.is_empty() && others.is_empty() && goes_on(flat.get(begin..at)?) => {
                    let ahead = this.first_in_chinese(begin);
                    ahead.or_else(|| before.iter().find_map(|other| other.first_in_chinese(other.flat.len())))
                }
                _ => None,
            }
        };
        places.map(|(at, _)| doer(at)).collect()
    }
}

/// Characters from a Chinese name to the deed that is still its own.
const REACH: usize = 14;

/// Whether what stands before a deed leaves out who does it, or says it by a pronoun.
fn goes_on(ahead: &str) -> bool {
    const OPENINGS: [&str; 8] = ["他", "她", "其", "遂", "后来", "于是", "因", "由于"];
    let ahead = ahead.trim_start_matches(|c: char| !c.is_alphanumeric());
    ahead.chars().count() <= 2 || OPENINGS.iter().any(|opening| ahead.starts_with(opening))
}

/// Whether a name at a byte of a Chinese text is what does something: behind none of what makes it an object.
fn is_han_subject(flat: &str, at: usize) -> bool {
    let before = flat.get(..at).and_then(|before| before.chars().next_back());
    // 曹腾之养子 is another than 曹腾
    let owns = flat.get(at..).is_some_and(|name| name.chars().skip(2).take(2).any(|c| "之的".contains(c)));
    !owns && before.is_none_or(|c| !"把将向对给与和跟同在从于为叫请让".contains(c))
}

/// How well a word says a deed that counts as it.
const IN_OTHER_WORDS: f64 = 0.55;
/// How well a title names whom a document is about.
const IN_TITLE: f64 = 0.9;

/// Whether a pronoun of a gender means whom the question names where nobody else stands before it: the document is about
/// them.
fn is_about_asked(this: &AnswerCandidate<'_>, concepts: &[Concept]) -> impl Fn(Option<Gender>) -> bool {
    let given =
        title_name(this, concepts).map(|name| gender_of_word(name.split(' ').next().unwrap_or_default()));
    move |gender| given.is_some_and(|given| gender.is_some() && (given.is_none() || given == gender))
}

/// The name that a question asks about, where the title of the document or a heading tells it.
fn title_name<'a>(this: &AnswerCandidate<'_>, concepts: &'a [Concept]) -> Option<&'a str> {
    let named = this.above.iter().zip(concepts).filter(|(_, concept)| concept.is_name);
    named.filter(|(above, _)| **above >= IN_TITLE).map(|(_, concept)| concept.text.as_str()).next()
}

/// Of whom a deed is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doer {
    /// Of whom the question names.
    Asked,
    /// Of somebody else.
    Other,
}

/// What stands before a deed as its subject.
enum GrammaticalSubject {
    Doer(Doer),
    Pronoun(Option<Gender>),
}

/// A text with the places of whom the question names, and of whom it does not: words of English, bytes of Chinese.
struct NameOccurrences<'a> {
    flat: &'a str,
    words: Vec<&'a str>,
    is_han: bool,
    asked: Vec<usize>,
    others: Vec<usize>,
    /// Whether the document is about whom the question names: "Winifred Acland" is Winifred Moss there.
    is_titled: bool,
}

impl<'a> NameOccurrences<'a> {
    fn of(question: &Question, this: &'a AnswerCandidate<'_>, concepts: &[Concept]) -> Self {
        let flat = this.indexed.flat.as_str();
        let is_han = this.indexed.is_han();
        let (asked, others) = if is_han {
            let names = question
                .names
                .iter()
                .flat_map(|name| name.whole.iter().chain(&name.parts).chain(&name.given));
            let asked = names.flat_map(|name| flat.match_indices(name.as_str()).map(|(at, _)| at)).collect();
            (asked, others_who_act(question, this))
        } else {
            let named = this.found.iter().zip(concepts).filter(|(_, concept)| concept.is_name);
            (named.flat_map(|(found, _)| found.at.iter().copied()).collect(), others_in(question, this))
        };
        let is_titled = title_name(this, concepts).is_some();
        Self { flat, words: flat.split(' ').collect(), is_han, asked, others, is_titled }
    }

    /// Where the sentence begins that a word stands in.
    fn sentence_of(&self, at: usize) -> usize {
        (0..at).rev().find(|place| ends(&self.words, *place)).map_or(0, |place| place + 1)
    }

    /// Where the name begins that a word stands in, and whether the question names it.
    fn name_at(&self, at: usize, begin: usize) -> Option<(usize, Doer)> {
        if self.asked.contains(&at) {
            return Some((at, Doer::Asked));
        }
        if !self.others.contains(&at) {
            return None;
        }
        let first = (begin..=at).rev().take_while(|place| self.others.contains(place)).last()?;
        Some((first, Doer::Other))
    }

    /// What stands before a deed in its sentence as its subject.
    fn subject(&self, begin: usize, deed: usize) -> Option<GrammaticalSubject> {
        let mut at = deed;
        while at > begin {
            at -= 1;
            let word = bare(self.words.get(at)?);
            let pronoun = match word {
                "he" => Some(Some(Gender::Male)),
                "she" => Some(Some(Gender::Female)),
                "they" | "it" => Some(None),
                _ => None,
            };
            if let Some(gender) = pronoun {
                return Some(GrammaticalSubject::Pronoun(gender));
            }
            let Some((first, doer)) = self.name_at(at, begin) else { continue };
            let before =
                first.checked_sub(1).filter(|before| *before >= begin).and_then(|at| self.words.get(at));
            if before.is_some_and(|word| PREPOSITIONS.contains(&bare(word))) {
                at = first;
                continue;
            }
            let is_maiden = self.is_titled && first > begin && self.asked.contains(&(first - 1));
            if doer == Doer::Asked || is_maiden {
                return Some(GrammaticalSubject::Doer(Doer::Asked));
            }
            // a sentence may begin with any word in a capital
            let is_sure = first > begin || first < at || gender_of_word(word).is_some();
            return (is_sure && self.is_own(at, deed)).then_some(GrammaticalSubject::Doer(doer));
        }
        None
    }

    /// Whether a deed is that of the name whose last word stands before it.
    fn is_own(&self, name: usize, deed: usize) -> bool {
        let between = self.words.get(name + 1..deed).unwrap_or_default();
        let ends_with = |at: usize, mark: char| self.words.get(at).is_some_and(|word| word.ends_with(mark));
        let is_light = |word: &&str| AUXILIARIES.contains(&bare(word)) || bare(word).ends_with("ly");
        let is_possessive =
            self.words.get(name).is_some_and(|word| word.ends_with("'s") || word.ends_with("’s"));
        !is_possessive
            && (between.iter().all(is_light)
                || ends_with(name, ',') && ends_with(deed - 1, ',')
                || between.first().is_some_and(|word| PREPOSITIONS.contains(word))
                || between.last().is_some_and(|word| ["and", "then"].contains(word)))
    }

    /// The first whom an English text names up to a word, where that may be of a gender, or is known to be.
    fn first_name(&self, end: usize, gender: Option<Gender>, is_known: bool) -> Option<Doer> {
        let mut at = 0;
        while at < end {
            let known = self.asked.contains(&at) || self.others.contains(&at);
            // one word at the beginning may be any
            let is_sure = self.asked.contains(&at) || at > 0 || self.others.contains(&(at + 1));
            let told = gender_of_word(bare(self.words.get(at)?));
            let fits = told == gender || told.is_none() && (!is_known || self.asked.contains(&at));
            if known && is_sure && (gender.is_none() || fits) {
                return Some(if self.asked.contains(&at) { Doer::Asked } else { Doer::Other });
            }
            // the rest of a name tells nothing new
            at += 1;
            while known && at < end && self.others.contains(&at) {
                at += 1;
            }
        }
        None
    }

    /// Of whom a Chinese text speaks up to a byte: of whom the question names wherever it names them.
    fn first_in_chinese(&self, end: usize) -> Option<Doer> {
        let first = |places: &[usize]| {
            places.iter().copied().filter(|at| *at < end && is_han_subject(self.flat, *at)).min()
        };
        if first(&self.asked).is_some() {
            return Some(Doer::Asked);
        }
        first(&self.others).map(|_| Doer::Other)
    }
}

/// The gender that a title or a given name tells.
fn gender_of_word(word: &str) -> Option<Gender> {
    match word {
        "mr" | "sir" | "king" => Some(Gender::Male),
        "mrs" | "ms" | "miss" | "lady" | "queen" => Some(Gender::Female),
        word => gender_of(word),
    }
}

fn within(places: &[usize], begin: usize, end: usize) -> Vec<usize> {
    places.iter().copied().filter(|place| (begin..end).contains(place)).collect()
}

/// Whether a sentence ends with a word: not with an abbreviated title or an initial.
fn ends(words: &[&str], at: usize) -> bool {
    let Some(word) = words.get(at) else { return false };
    let marks = word.trim_end_matches(['"', '\'', '”', '’', ')']);
    let is_short = bare(word).chars().count() < 2 || is_abbreviated(bare(word));
    marks.ends_with(['!', '?', ';', ':']) || marks.ends_with('.') && !is_short
}
