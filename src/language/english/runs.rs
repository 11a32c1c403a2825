//! English names as runs of capitalised words: where one starts, what it takes in, and whether it is a name at all.

use super::names::Finder;
use super::{EnglishToken, WordShape};
use crate::language::mention::MentionRank;
use crate::language::vocabulary::calendar::{is_calendar, is_month};
use crate::language::vocabulary::english::{
    ABBREVIATED_TITLES, DEMONYMS, EVENT_HEADS, EVENT_NAMES, GREETINGS, MODIFIERS, OFFICE_HOLDERS,
    OFFICE_WORDS, ORGANIZATION_HEADS, PERIODS, PERSON_NOUNS, PLACE_HEADS, PRONOUNS_AND_CALLS, SHORT_LABELS,
    UNIT_SIGNS, UNITS_BEHIND_NUMBERS, WORK_HEADS,
};
use crate::language::vocabulary::gazetteer::{
    is_given_name, is_known_organization, is_known_product, is_place,
};
use crate::language::vocabulary::holds;
use crate::language::vocabulary::particles::{is_connector, is_particle};
use crate::language::vocabulary::titles::{is_honorific, is_rank_of_nobility};
use harper_brill::UPOS;

/// Most words of a name; longer runs are headings.
const NAME_WORDS: usize = 12;

enum RunStep {
    /// The name goes on to here.
    Take(usize),
    /// It goes on, and what was read so far owns the rest.
    Own(usize),
    Stop,
}

impl Finder<'_, '_> {
    /// A run of capitalised words from here; `None` where no name starts.
    pub(crate) fn name(&mut self, at: usize) -> Option<usize> {
        if !self.starts(at) {
            return None;
        }
        let mut owner = None;
        let mut end = at + 1;
        while end - at < NAME_WORDS * 2 {
            match self.step(at, end) {
                RunStep::Take(next) => end = next,
                RunStep::Own(next) => {
                    owner = Some(end);
                    end = next;
                }
                RunStep::Stop => break,
            }
        }
        let (first, last) = self.trimmed(at, end);
        let first = self.title_in(first, last).unwrap_or(first);
        let lonely = last - first == 1 && !self.is_used_as_name(first);
        if !lonely && self.is_name(first, last) || self.is_born(last) && first + 1 == last {
            self.push(first, last, MentionRank::Name, false);
            if let Some(owner) = owner.filter(|owner| *owner < last && self.is_name(first, *owner)) {
                self.push(first, owner, MentionRank::Name, false);
            }
        }
        Some(end)
    }

    /// Whether an opening word that the tagger does not know, and that no other place shows to be a name, is used
    /// as one: something is said of it.
    fn is_used_as_name(&self, at: usize) -> bool {
        let (Some(word), next) = (self.token(at), self.token(at + 1)) else { return false };
        let is_shown = !word.opens || word.tag.is_some() || self.usage.capitals(word) > 0;
        is_shown
            || word.shape == WordShape::AllCapitals
            || next.is_none_or(|next| {
                next.is_possessive()
                    || matches!(next.tag, Some(UPOS::VERB | UPOS::AUX))
                    || matches!(next.text, "," | "(" | "and")
                    || next.text == "|" && !word.text.contains('-')
            })
    }

    /// Whether a name may start at this token.
    fn starts(&self, at: usize) -> bool {
        let Some(token) = self.token(at) else { return false };
        if !token.is_capital() || token.text.ends_with('@') {
            return false;
        }
        let followed = self.token(at + 1).is_some_and(|next| {
            next.is_capital() && self.adjacent(at + 1) && !holds(PRONOUNS_AND_CALLS, &next.lower)
        });
        if is_honorific(&token.lower) && followed {
            return true;
        }
        if matches!(token.lower.as_str(), "the" | "a" | "an") {
            return followed && !token.opens;
        }
        if holds(GREETINGS, &token.lower) || token.lower == "i" {
            return false;
        }
        if self.is_country(at) || self.is_born(at + 1) && !holds(PRONOUNS_AND_CALLS, &token.lower) {
            return true;
        }
        // "CEO of Acme"
        if token.shape == WordShape::AllCapitals
            && holds(PERSON_NOUNS, &token.lower)
            && self.lower(at + 1) == "of"
        {
            return false;
        }
        if holds(PRONOUNS_AND_CALLS, &token.lower) {
            let modifies = matches!(token.tag, Some(UPOS::NOUN | UPOS::NUM | UPOS::DET | UPOS::ADJ));
            return followed
                && !token.opens
                && token.shape == WordShape::Capital
                && modifies
                && !is_call(token);
        }
        if is_calendar(&token.lower) {
            return followed && !token.opens;
        }
        if !token.opens {
            return true;
        }
        if token.shape == WordShape::AllCapitals && token.text.len() > 1 && token.is_proper() {
            return true;
        }
        if self.usage.is_lower(token) {
            return false;
        }
        if token.is_proper() || self.usage.capitals(token) > 0 {
            return true;
        }
        followed
            && matches!(token.tag, Some(UPOS::NOUN | UPOS::ADJ))
            && !holds(MODIFIERS, &token.lower)
            && !holds(PERSON_NOUNS, &token.lower)
    }

    /// "Chick (born 1966)": whether what stands before this token is somebody's name.
    fn is_born(&self, at: usize) -> bool {
        self.lower(at) == "(" && matches!(self.lower(at + 1), "born" | "b." | "née" | "né")
    }

    /// What follows in a name that has been read up to `end`.
    fn step(&self, at: usize, end: usize) -> RunStep {
        let (Some(last), Some(next)) = (self.token(end - 1), self.token(end)) else { return RunStep::Stop };
        if next.is_possessive() {
            let noun = self.token(end + 1);
            let joins = noun.is_some_and(|noun| {
                noun.shape == WordShape::Capital
                    && !noun.opens
                    && matches!(noun.tag, Some(UPOS::NOUN | UPOS::ADJ))
                    && !holds(PRONOUNS_AND_CALLS, &noun.lower)
                    && !is_honorific(&noun.lower)
                    && self.adjacent(end + 1)
            });
            return if joins { RunStep::Own(end + 2) } else { RunStep::Stop };
        }
        if next.text == ","
            && self.token(end + 1).is_some_and(|t| t.is_capital() && holds(ABBREVIATED_TITLES, &t.lower))
        {
            return RunStep::Take(end + 2);
        }
        if next.text == ","
            && let Some(rank) = self.rank_behind(end + 1)
        {
            return RunStep::Own(rank);
        }
        if !self.adjacent(end) {
            return RunStep::Stop;
        }
        if next.is_capital() {
            let is_day =
                self.token(end + 1).is_some_and(|day| day.shape == WordShape::Number && day.text.len() < 3);
            let wrong = next.opens && !last.opens
                || is_month(&next.lower) && is_day
                || next.lower == last.lower
                || next.lower == "i" && !self.is_ordinal(end)
                || next.lower != "i" && holds(PRONOUNS_AND_CALLS, &next.lower) && is_call(next)
                || is_calendar(&last.lower) && end - at == 1 && self.follows_time(at);
            return if wrong { RunStep::Stop } else { RunStep::Take(end + 1) };
        }
        if next.text == "&" && self.token(end + 1).is_some_and(EnglishToken::is_capital) {
            return RunStep::Take(end + 2);
        }
        let product = format!("{} {}", last.lower, next.text);
        if next.shape == WordShape::Number && end - at == 1 && is_known_product(&product) {
            return RunStep::Take(end + 1);
        }
        // "AMD EPYC 9354", no year
        let is_model = next.text.len() == 4
            && last.shape == WordShape::AllCapitals
            && !next.text.starts_with(['1', '2']);
        if next.shape == WordShape::Number
            && (next.text.len() <= 3 || is_model)
            && !next.text.contains(['.', ','])
        {
            let closed =
                self.token(end + 1).is_some_and(|after| after.shape != WordShape::Mark || after.text == ",");
            return if closed { RunStep::Take(end + 1) } else { RunStep::Stop };
        }
        if next.lower == "and" {
            return if self.and_joins(at, end) { RunStep::Take(end + 2) } else { RunStep::Stop };
        }
        self.connector(at, end).map_or(RunStep::Stop, RunStep::Take)
    }

    /// "3rd Earl of" behind a comma: the end of "Earl".
    fn rank_behind(&self, at: usize) -> Option<usize> {
        let ordinal = self.lower(at);
        let is_ordinal = ordinal.len() < 5
            && ordinal.starts_with(|c: char| c.is_ascii_digit())
            && ["st", "nd", "rd", "th"].iter().any(|end| ordinal.ends_with(end));
        let place = if is_ordinal { at + 1 } else { at };
        let title = self.token(place)?;
        let goes_on = self.lower(place + 1) == "of"
            || self.token(place + 1).is_some_and(EnglishToken::is_capital) && is_ordinal;
        (title.is_capital() && is_rank_of_nobility(&title.lower) && goes_on).then_some(place + 1)
    }

    /// Whether an "I" behind a name is a number: "Francis I", not "Bob, I think".
    fn is_ordinal(&self, at: usize) -> bool {
        let after = self.lower(at + 1);
        self.token(at.wrapping_sub(1))
            .is_some_and(|last| last.is_proper() && last.shape == WordShape::Capital)
            && !after.starts_with(['\'', '’'])
            && !matches!(
                after,
                "am" | "have" | "had" | "think" | "know" | "say" | "do" | "don't" | "will" | "can"
            )
    }

    /// Whether the month or day at `at` only dates the sentence: "in October", "on 9 October".
    fn follows_time(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1).and_then(|i| self.token(i)) else { return false };
        let is_day = is_month(self.lower(at))
            && before.text.len() < 5
            && before.text.starts_with(|c: char| c.is_ascii_digit());
        is_day || matches!(before.lower.as_str(), "in" | "on" | "of" | "since" | "by" | "last" | "next")
    }

    /// "Pride and Prejudice", "Trinidad and Tobago" not "Scrooge and Marley".
    fn and_joins(&self, at: usize, end: usize) -> bool {
        let plain = |token: Option<&EnglishToken<'_>>| {
            token.is_some_and(|t| {
                t.shape == WordShape::Capital
                    && !t.opens
                    && matches!(t.tag, Some(UPOS::NOUN | UPOS::ADJ | UPOS::VERB))
                    && !is_honorific(&t.lower)
                    && !holds(PRONOUNS_AND_CALLS, &t.lower)
            })
        };
        let known = |word: &str| is_known_product(word) || is_known_organization(word);
        if known(self.lower(end + 1)) || known(self.lower(end - 1)) {
            return false;
        }
        let left = self.tokens.get(at..end).unwrap_or(&[]);
        let joined = left.iter().map(|token| token.lower.as_str()).collect::<Vec<_>>().join(" ");
        if self.token(end + 1).is_some_and(EnglishToken::is_capital)
            && is_place(&format!("{joined} and {}", self.lower(end + 1)))
        {
            return true;
        }
        let left_plain = end.checked_sub(1).is_some_and(|i| plain(self.token(i)));
        let organization =
            left.iter().any(|token| holds(ORGANIZATION_HEADS, &token.lower) || token.lower == "journal");
        (left_plain || organization && left.len() > 1) && plain(self.token(end + 1)) && self.adjacent(end + 1)
    }

    /// The end behind small words and the capitalised word that follows them.
    fn connector(&self, at: usize, end: usize) -> Option<usize> {
        let last = self.token(end - 1)?;
        let small = self.lower(end);
        let mut next = end + 1;
        match small {
            "of" => {}
            // a number rather than the particle
            "ten" => return None,
            _ if is_particle(small) => {}
            "for" | "on" | "in" => {
                let head = self.tokens.get(at..end)?.iter().any(|token| {
                    holds(ORGANIZATION_HEADS, &token.lower) && token.lower != "party"
                        || matches!(
                            token.lower.as_str(),
                            "award" | "awards" | "prize" | "campaign" | "project"
                        )
                });
                if !head || small != "for" && self.lower(end + 1) != "the" {
                    return None;
                }
            }
            // "Edward the Confessor"
            "the" => {
                // "Howell the Democratic candidate" is none
                let describes = self
                    .token(end + 2)
                    .is_some_and(|t| t.shape == WordShape::Lower && matches!(t.tag, Some(UPOS::NOUN)));
                let byname = !describes
                    && self.token(end + 1).is_some_and(|t| matches!(t.tag, Some(UPOS::ADJ | UPOS::NOUN)));
                if !last.is_proper() || !byname || end - at > 2 {
                    return None;
                }
            }
            "to" => {
                let plain = matches!(last.tag, Some(UPOS::NOUN | UPOS::ADV | UPOS::ADJ))
                    && !last.opens
                    && end - at > 1;
                if !plain {
                    return None;
                }
            }
            _ => return None,
        }
        let is_firm = matches!(
            last.lower.trim_end_matches('.'),
            "ltd" | "limited" | "inc" | "plc" | "llc" | "llp" | "gmbh" | "corp"
        );
        if small == "of"
            && (is_firm || is_calendar(&last.lower) || last.is_possessive() || self.is_full_person(at, end))
        {
            return None;
        }
        while next < end + 3
            && matches!(self.lower(next), "the" | "la" | "los" | "las" | "der" | "den" | "le" | "a")
        {
            next += 1;
        }
        let word = self.token(next)?;
        // "gave Bob to Fred": a proper noun behind "to" is no part of the name
        let gives = small == "to" && word.is_proper();
        let fits = word.is_capital()
            && !gives
            && !word.opens
            && word.lower != "i"
            && !(is_calendar(&word.lower) && small != "of")
            && (end..=next).all(|i| self.adjacent(i));
        fits.then_some(next + 1)
    }

    /// Whether a given name and a surname have been read: what "of" adds is where the person belongs. Kings, saints and
    /// titles ("Francis I of France", "Duke of …") go on.
    fn is_full_person(&self, at: usize, end: usize) -> bool {
        let words = self.tokens.get(at..end).unwrap_or(&[]);
        let (Some(first), Some(last)) = (words.first(), words.last()) else { return false };
        let plain = |token: &EnglishToken<'_>| {
            token.shape == WordShape::Capital
                && !is_roman(token.text)
                && !is_honorific(&token.lower)
                && !is_rank_of_nobility(&token.lower)
                && ![ORGANIZATION_HEADS, PLACE_HEADS, EVENT_HEADS, WORK_HEADS]
                    .iter()
                    .any(|list| holds(list, &token.lower))
        };
        let is_pair = words.len() == 2 && words.iter().all(|token| token.tag.is_none());
        (2..=4).contains(&words.len())
            && (is_given_name(&first.lower) || is_pair)
            && words
                .iter()
                .all(|token| plain(token) || is_particle(&token.lower) || token.text.ends_with('.'))
            && last.is_proper()
    }

    /// Where the title stands in "Incumbent Republican Senator Orrin Hatch": the adjectives before it are no part of the
    /// name.
    fn title_in(&self, first: usize, end: usize) -> Option<usize> {
        let at = (first + 1..end.saturating_sub(2)).find(|at| is_honorific(self.lower(*at)))?;
        let is_adjective = |token: &EnglishToken<'_>| {
            matches!(token.tag, Some(UPOS::ADJ)) || token.text.ends_with('.') || is_place(&token.lower)
        };
        let described = self.tokens.get(first..at)?.iter().all(is_adjective);
        let named =
            self.tokens.get(at + 1..end)?.iter().all(|token| token.is_capital() || is_particle(&token.lower));
        (described && named).then_some(at)
    }

    /// Without words at the ends that belong to the sentence.
    fn trimmed(&self, at: usize, end: usize) -> (usize, usize) {
        let (mut first, mut last) = (at, end);
        while first < last {
            let Some(token) = self.token(first) else { break };
            let greets = holds(GREETINGS, &token.lower);
            let opens = token.opens && last - first > 1 && !token.is_proper() && {
                holds(MODIFIERS, &token.lower)
                    || matches!(token.tag, Some(UPOS::ADV | UPOS::VERB | UPOS::DET | UPOS::ADP))
            };
            let article = matches!(token.lower.as_str(), "a" | "an") || token.shape == WordShape::Mark;
            let dates = holds(PERIODS, &token.lower)
                && last - first == 2
                && self.token(first + 1).is_some_and(|place| is_place(&place.lower));
            if !greets && !opens && !article && !dates {
                break;
            }
            first += 1;
        }
        while last > first {
            let Some(token) = self.token(last - 1) else { break };
            if token.shape != WordShape::Mark
                && !(token.shape == WordShape::Lower && is_connector(&token.lower))
            {
                break;
            }
            last -= 1;
        }
        (first, last)
    }

    /// Whether "US" is the country and no stressed pronoun: behind a verb only before what it describes ("visit US
    /// cities", not "told US that").
    fn is_country(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.token(before));
        let is_object = before.is_some_and(|token| token.tag == Some(UPOS::VERB));
        let describes = self
            .token(at + 1)
            .is_some_and(|next| matches!(next.tag, None | Some(UPOS::NOUN | UPOS::PROPN | UPOS::ADJ)));
        self.token(at).is_some_and(|token| token.text == "US") && (!is_object || describes)
    }

    /// Whether a run of words is a name rather than words with capitals.
    fn is_name(&self, first: usize, end: usize) -> bool {
        let words = self.tokens.get(first..end).unwrap_or(&[]);
        if words.is_empty() || words.len() > NAME_WORDS {
            return false;
        }
        let is_office = words.len() > 1
            && words.iter().all(|word| {
                holds(OFFICE_WORDS, &word.lower) || matches!(word.lower.as_str(), "of" | "and" | "the" | "&")
            });
        if is_office || is_title_of_office(words) || self.is_label(first, end) || self.is_shouted(first, end)
        {
            return false;
        }
        if let [word] = words {
            if self.is_unit(first) {
                return false;
            }
            // "Secretary: Graham Whitlock": a label
            let is_label =
                self.lower(end) == ":" && (is_honorific(&word.lower) || holds(PERSON_NOUNS, &word.lower));
            if is_label && word.tag.is_some() {
                return false;
            }
            return if word.text == "US" { self.is_country(first) } else { self.is_single_name(word) };
        }
        let says = |token: &&EnglishToken<'_>| {
            token.text.chars().filter(|c| c.is_alphanumeric()).count() > 1
                && token.is_capital()
                && !holds(PRONOUNS_AND_CALLS, &token.lower)
                && !is_calendar(&token.lower)
                && !is_roman(token.text)
        };
        words.iter().filter(says).any(|token| !is_honorific(&token.lower) || token.is_proper())
            || words.iter().filter(says).count() > 1
    }

    /// "Venue:", "**Apologies:**" at the beginning of a line, "Price GBP" as a cell: plain words before a colon or a border.
    fn is_label(&self, first: usize, end: usize) -> bool {
        let next = (end..end + 3).find(|at| !matches!(self.lower(*at), "*" | "_")).unwrap_or(end);
        let words = self.tokens.get(first..end).unwrap_or(&[]);
        let Some(start) = words.first() else { return false };
        let line = self.text.get(..start.range.start).unwrap_or("");
        let line = line.rsplit(['\n', ';', '|']).next().unwrap_or(line);
        let is_plain = |word: &EnglishToken<'_>| {
            !word.is_proper() && !is_given_name(&word.lower)
                || holds(SHORT_LABELS, &word.lower)
                || holds(UNIT_SIGNS, &word.lower)
        };
        let is_listed =
            |word: &EnglishToken<'_>| is_known_organization(&word.lower) || is_known_product(&word.lower);
        let has_head = words.last().is_some_and(|word| {
            [ORGANIZATION_HEADS, PLACE_HEADS, EVENT_HEADS].iter().any(|list| holds(list, &word.lower))
        });
        let mark = self.lower(next);
        (mark == ":" || mark == "|" && !(has_head && words.len() > 1))
            && !line.contains(char::is_alphanumeric)
            && words.iter().all(is_plain)
            && !words.iter().any(is_listed)
    }

    /// "FOR IMMEDIATE RELEASE": plain words in capitals that go on in capitals.
    fn is_shouted(&self, first: usize, end: usize) -> bool {
        let words = self.tokens.get(first..end).unwrap_or(&[]);
        let shouts = |word: &EnglishToken<'_>| word.shape == WordShape::AllCapitals && !word.is_proper();
        let before = first.checked_sub(1).and_then(|at| self.token(at));
        words.len() > 1 && words.iter().all(shouts) && before.is_some_and(shouts) && self.adjacent(first)
    }

    /// Whether a word is the sign of a unit or coin: "104.6 MHz", "1,480 GBP".
    fn is_unit(&self, at: usize) -> bool {
        let is_behind =
            at.checked_sub(1).and_then(|at| self.token(at)).is_some_and(|t| t.shape == WordShape::Number);
        holds(UNIT_SIGNS, self.lower(at)) || is_behind && holds(UNITS_BEHIND_NUMBERS, self.lower(at))
    }

    fn is_single_name(&self, word: &EnglishToken<'_>) -> bool {
        let letters = word.text.chars().filter(|c| c.is_alphabetic()).count();
        if letters < 2
            || word.lower.ends_with("n't")
            || word.lower.ends_with("n’t")
            || is_roman(word.text)
            || is_calendar(&word.lower)
            || word.lower.strip_suffix('s').is_some_and(|day| day.ends_with("day") && is_calendar(day))
            || [PRONOUNS_AND_CALLS, MODIFIERS, GREETINGS, SHORT_LABELS]
                .iter()
                .any(|list| holds(list, &word.lower))
            || word.text.contains('@')
        {
            return false;
        }
        if word.shape == WordShape::AllCapitals {
            let emphasis =
                self.usage.is_lower(word) || word.tag.is_some_and(|t| !matches!(t, UPOS::PROPN | UPOS::NOUN));
            return !emphasis && (letters <= 6 || word.is_proper());
        }
        if holds(DEMONYMS, &word.lower) {
            return false;
        }
        let is_listed = is_known_product(&word.lower) || is_known_organization(&word.lower);
        if is_listed && !word.opens && word.shape == WordShape::Capital {
            return true;
        }
        let capitals = self.usage.capitals(word);
        match word.tag {
            None | Some(UPOS::PROPN) => !(word.opens && capitals == 0 && is_inflected(word)),
            Some(UPOS::NOUN) if !word.opens && holds(EVENT_NAMES, &word.lower) => true,
            Some(UPOS::NOUN) => {
                let is_head = is_honorific(&word.lower) || holds(EVENT_HEADS, &word.lower);
                capitals >= 2 && !(self.usage.is_lower(word) && is_head)
            }
            Some(UPOS::VERB) => capitals >= 2 && !self.usage.is_lower(word),
            _ => false,
        }
    }
}

/// "Chief Engineer", "Programme Editor": plain words that end in who holds an office.
fn is_title_of_office(words: &[EnglishToken<'_>]) -> bool {
    let Some((last, before)) = words.split_last() else { return false };
    let is_plain = |word: &EnglishToken<'_>| {
        !word.is_proper() && !is_given_name(&word.lower) && !is_place(&word.lower)
            || holds(OFFICE_WORDS, &word.lower)
    };
    !before.is_empty() && holds(OFFICE_HOLDERS, &last.lower) && before.iter().all(is_plain)
}

/// An opening word that the tagger does not know, and that looks like a verb or adverb ("Peering", "Gravely").
fn is_inflected(word: &EnglishToken<'_>) -> bool {
    word.tag.is_none()
        && ["ing", "ly", "ed", "ous", "ful", "less", "n't"].iter().any(|e| word.lower.ends_with(e))
}

fn is_call(token: &EnglishToken<'_>) -> bool {
    matches!(token.tag, Some(UPOS::INTJ | UPOS::PRON | UPOS::AUX | UPOS::SCONJ | UPOS::CCONJ))
        || matches!(token.lower.as_str(), "yes" | "no" | "oh" | "well" | "sir" | "and" | "but" | "so")
}

fn is_roman(text: &str) -> bool {
    text.bytes().all(|b| b"IVXLCDM.".contains(&b))
}
