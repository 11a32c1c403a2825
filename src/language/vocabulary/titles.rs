//! English forms of address: titles, kin and what else stands before a person's name. Lower case.
//!
//! Extraction asks what may stand before a name, resolution what a title says of its bearer, questions which words of a
//! name do not stand for the whole, and the sentence splitter behind which abbreviations a sentence goes on.

use super::holds;

/// What a name's owner is known to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gender {
    /// Female.
    Female,
    /// Male.
    Male,
}

/// What follows a title where only one word does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    /// "Sir Roger", "Queen Victoria".
    Given,
    /// "Mr. Scrooge", "President Lincoln".
    Surname,
}

/// How a title excludes others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TitleRank {
    /// Mr., Mrs., Miss, Master: one person has only one of them.
    Address,
    /// Says little: Dr., Professor, Ms.
    Neutral,
    /// An office or a grade; two different ones are taken for two people.
    Office,
}

/// A title that stands before a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Title {
    /// Its one spelling.
    pub(crate) word: &'static str,
    /// What it says of its bearer.
    pub(crate) gender: Option<Gender>,
    /// What one word behind it is.
    pub(crate) takes: Takes,
    /// What it excludes.
    pub(crate) rank: TitleRank,
}

/// The title that a word (no dots) is, where it says enough of its bearer to tell people apart by it.
pub(crate) fn title(word: &str) -> Option<Title> {
    use Gender::{Female, Male};
    use Takes::{Given, Surname};
    use TitleRank::{Address, Neutral, Office};
    let of = |word, gender, takes, rank| Some(Title { word, gender, takes, rank });
    match word {
        "mr" | "mister" => of("mr", Some(Male), Surname, Address),
        "mrs" | "missus" => of("mrs", Some(Female), Surname, Address),
        "miss" => of("miss", Some(Female), Surname, Address),
        "master" => of("master", Some(Male), Given, Address),
        "ms" => of("ms", Some(Female), Surname, Neutral),
        "madam" | "madame" | "mme" => of("madame", Some(Female), Surname, Neutral),
        "monsieur" | "herr" | "signor" | "señor" => of("monsieur", Some(Male), Surname, Neutral),
        "dr" | "doctor" => of("dr", None, Surname, Neutral),
        "prof" | "professor" => of("professor", None, Surname, Neutral),
        "rev" | "reverend" => of("reverend", None, Surname, Neutral),
        "sir" => of("sir", Some(Male), Given, Neutral),
        "dame" => of("dame", Some(Female), Given, Neutral),
        "lord" => of("lord", Some(Male), Surname, Office),
        "lady" => of("lady", Some(Female), Surname, Office),
        "king" => of("king", Some(Male), Given, Office),
        "queen" => of("queen", Some(Female), Given, Office),
        "prince" => of("prince", Some(Male), Given, Office),
        "princess" => of("princess", Some(Female), Given, Office),
        "emperor" => of("emperor", Some(Male), Given, Office),
        "empress" => of("empress", Some(Female), Given, Office),
        "pope" => of("pope", Some(Male), Given, Office),
        "saint" => of("saint", None, Given, Office),
        "duke" => of("duke", Some(Male), Given, Office),
        "duchess" => of("duchess", Some(Female), Given, Office),
        "baron" => of("baron", Some(Male), Surname, Office),
        "count" => of("count", Some(Male), Surname, Office),
        "countess" => of("countess", Some(Female), Surname, Office),
        "captain" | "capt" => of("captain", None, Surname, Office),
        "colonel" | "col" => of("colonel", None, Surname, Office),
        "general" | "gen" => of("general", None, Surname, Office),
        "major" | "maj" => of("major", None, Surname, Office),
        "lieutenant" | "lt" => of("lieutenant", None, Surname, Office),
        "sergeant" | "sgt" => of("sergeant", None, Surname, Office),
        "admiral" | "adm" => of("admiral", None, Surname, Office),
        "president" | "pres" => of("president", None, Surname, Office),
        "senator" | "sen" => of("senator", None, Surname, Office),
        "governor" | "gov" => of("governor", None, Surname, Office),
        "judge" => of("judge", None, Surname, Office),
        "justice" => of("justice", None, Surname, Office),
        _ => None,
    }
}

/// Whether a word, with its dot or without, stands before a person's name: a title, an office, or kin.
pub(crate) fn is_honorific(word: &str) -> bool {
    let bare = word.strip_suffix('.');
    if let Some(bare) = bare {
        return holds(ABBREVIATIONS, bare) && (title(bare).is_some() || holds(OFFICES, bare));
    }
    title(word).is_some() || holds(OFFICES, word) || is_kin(word)
}

/// Whether a word says whose relative somebody is, and may stand before a name: "Uncle Ben".
pub(crate) fn is_kin(word: &str) -> bool {
    holds(KIN, word)
}

/// Whether a word is a rank of nobility or the church that goes with a place: "Earl of Essex".
pub(crate) fn is_rank_of_nobility(word: &str) -> bool {
    holds(NOBILITY, word)
}

/// Whether a word (no dot) is an abbreviation that stands before a person's name, so that a dot behind it ends nothing.
pub(crate) fn is_abbreviated(word: &str) -> bool {
    holds(ABBREVIATIONS, word)
}

/// Abbreviations of titles and callings.
#[rustfmt::skip]
const ABBREVIATIONS: &[&str] = &[
    "abp", "adm", "ald", "capt", "cmdr", "col", "cpl", "dr", "drs", "esqr", "fr", "gen", "gov", "hon", "insp", "lt",
    "maj", "messrs", "mlle", "mme", "mons", "mr", "mrs", "ms", "pres", "prof", "rep", "rev", "sen", "sgt", "st",
    "ste", "supt",
];

/// Offices and callings before a name of which it is not known what one word behind them is.
#[rustfmt::skip]
const OFFICES: &[&str] = &[
    "ambassador", "archbishop", "baroness", "bishop", "cardinal", "chancellor", "commander", "czar", "don", "doña",
    "earl", "frau", "kaiser", "margrave", "marquess", "marquis", "mayor", "minister", "rabbi", "shah", "sheikh",
    "sultan", "tsar", "viscount",
];

/// Kin before a name.
#[rustfmt::skip]
const KIN: &[&str] = &[
    "aunt", "auntie", "brother", "cousin", "father", "grandfather", "grandma", "grandmother", "grandpa", "mother",
    "sister", "uncle",
];

/// Ranks of nobility and of the church that go with a place.
#[rustfmt::skip]
const NOBILITY: &[&str] = &[
    "baron", "baroness", "bishop", "count", "countess", "dauphin", "duchess", "duke", "earl", "elector", "king",
    "landgrave", "lord", "margrave", "marquess", "prince", "princess", "queen", "seigneur", "viscount",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_and_without_repetition() {
        for list in [ABBREVIATIONS, OFFICES, KIN, NOBILITY] {
            assert!(list.windows(2).all(|pair| pair[0] < pair[1]), "{list:?}");
        }
        for word in OFFICES.iter().chain(KIN) {
            assert_eq!(title(word), None, "{word} stands in one place");
        }
    }

    #[test]
    fn what_stands_before_a_name_is_known_with_its_dot_and_without() {
        for word in ["mr", "mr.", "gov.", "sen.", "queen", "bishop", "uncle", "cousin"] {
            assert!(is_honorific(word), "{word}");
        }
        for word in ["queen.", "uncle.", "st", "st.", "st. ", "road", ""] {
            assert!(!is_honorific(word), "{word}");
        }
    }
}
