//! What a row of a report's input says that another row beside it has said: the lean style leaves it out.

use crate::domain::{Entity, Relationship};
use crate::language::questions::stem;
use crate::language::words::is_han;
use crate::language::{is_stop_word, sentences};
use std::collections::BTreeSet;

/// A sentence says something of its own where one in so many of its words does.
const OWN: usize = 4;
/// Sentences of a description beyond which it is about too much to stand for a relationship.
const SHORT: usize = 3;

/// Of a relationship's description the sentences that say something beyond the row of each of its ends, as far as that is
/// short, and beyond the sentences before. `told` are those ends whose descriptions are shown.
pub(super) fn beyond_ends(relationship: &Relationship, ends: [&Entity; 2], told: [bool; 2]) -> String {
    let mut known = terms(&relationship.kinds());
    for end in ends {
        known.extend(terms(&end.name));
        known.extend(end.aliases.iter().flat_map(|alias| terms(alias)));
    }
    let descriptions = ends.into_iter().zip(told).filter(|(_, told)| *told).map(|(end, _)| &end.description);
    let short = descriptions.filter(|description| sentences(description).len() <= SHORT);
    let descriptions: Vec<BTreeSet<String>> = short.map(|description| terms(description)).collect();
    let text = &relationship.description;
    let mut kept: Vec<&str> = Vec::new();
    for sentence in sentences(text).into_iter().filter_map(|range| text.get(range)) {
        let words = terms(sentence);
        let own: BTreeSet<String> = words.difference(&known).cloned().collect();
        let is_told = descriptions.iter().any(|told| is_little(&own, told, words.len()));
        if !is_told && !is_little(&own, &BTreeSet::new(), words.len()) {
            kept.push(sentence.trim());
            known.extend(words);
        }
    }
    closed(kept.join(" "))
}

/// A text whose last sentence went on in one that is left out, with a full stop in place of the semicolon.
fn closed(mut text: String) -> String {
    let stop = match text.chars().next_back() {
        Some('；') => '。',
        Some(';') => '.',
        _ => return text,
    };
    text.pop();
    text.push(stop);
    text
}

/// Whether what a sentence of so many words has of its own, beside what is told, is next to nothing: no number, and few
/// words.
fn is_little(own: &BTreeSet<String>, told: &BTreeSet<String>, words: usize) -> bool {
    let mut left = own.difference(told).peekable();
    let is_number = |word: &&String| word.chars().any(|c| c.is_ascii_digit());
    left.peek().is_none() || {
        let left: Vec<&String> = left.collect();
        !left.iter().any(is_number) && left.len() * OWN <= words
    }
}

/// The words of a text that carry its meaning: stems, and Chinese characters one by one.
fn terms(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    let mut found = BTreeSet::new();
    for run in lower.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty()) {
        if run.chars().any(is_han) {
            found.extend(run.chars().map(String::from).filter(|character| !is_stop_word(character)));
        } else if !is_stop_word(run) {
            found.insert(stem(run));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entity(name: &str, description: &str) -> Entity {
        Entity { name: name.to_owned(), description: description.to_owned(), ..Entity::default() }
    }

    #[test]
    fn only_what_neither_end_tells_is_left_of_a_relationship() {
        let check = |one: &Entity, other: &Entity, kind: &str, description: &str, expected: &str| {
            let relationship = Relationship {
                kind: kind.to_owned(),
                description: description.to_owned(),
                ..Relationship::default()
            };
            assert_eq!(beyond_ends(&relationship, [one, other], [true; 2]), expected, "{description}");
        };
        let ferry = entity("Northern Star", "The Northern Star is a ferry that is sold to Brandt Lines.");
        let buyer = entity("Brandt Lines", "Brandt Lines is a company.");
        check(&buyer, &ferry, "buys", "Brandt Lines buys the ferry Northern Star.", "");
        let price = "Brandt Lines buys the Northern Star for 40 crowns.";
        check(&buyer, &ferry, "buys", price, price);
        let mixed = "Brandt Lines buys the Northern Star. The clerk protested in a long letter.";
        check(&buyer, &ferry, "buys", mixed, "The clerk protested in a long letter.");
        check(&buyer, &ferry, "", "It was sold. It was sold.", "");
        // half of it in the one row and half in the other is told by neither
        let crew = entity("Crew", "The crew sings every night.");
        let captain = entity("Captain Holm", "Captain Holm hates noise aboard.");
        let both = "Captain Holm hates the songs that the crew sings every night aboard.";
        check(&captain, &crew, "commands", both, both);
        let hero = entity("孔明", "孔明是军师，在舌战中驳倒多人。");
        let scholar = entity("薛敬文", "薛敬文是舌战中败给孔明的六人之一。");
        check(&scholar, &hero, "败于", "薛敬文在舌战中败给孔明。", "");
        let battle = "孔明斥薛敬文无父无君，众人皆惊；薛敬文在舌战中败给孔明。";
        check(&scholar, &hero, "败于", battle, "孔明斥薛敬文无父无君，众人皆惊。");
        let answer = "孔明斥薛敬文无父无君，众人皆惊。";
        check(&scholar, &hero, "败于", answer, answer);
    }

    #[test]
    fn an_end_that_another_report_tells_of_tells_nothing_here() {
        let ferry = entity("Northern Star", "The Northern Star was sold in secret by night.");
        let town = entity("Velm", "");
        let relationship = Relationship {
            kind: "leaves".to_owned(),
            description: "The Northern Star was sold in secret by night.".to_owned(),
            ..Relationship::default()
        };
        assert_eq!(beyond_ends(&relationship, [&ferry, &town], [true, true]), "");
        let left = beyond_ends(&relationship, [&ferry, &town], [false, true]);
        assert_eq!(left, relationship.description);
    }
}
