//! Who speaks in a written talk: the label that a turn begins with.

/// Most characters of a label.
const LABEL: usize = 70;
/// Words of a speaker's name.
const WORDS: usize = 5;

/// Who speaks from here on, where a text begins with a speaker's label: "AMY HOOD: …", "Daniel Ives, FBR Capital: …".
pub(crate) fn speaker(text: &str) -> Option<&str> {
    let (at, _) = text.char_indices().take(LABEL).find(|(_, c)| matches!(c, ':' | '：'))?;
    let behind = text.get(at..)?.chars().nth(1);
    if !behind.is_none_or(char::is_whitespace) {
        return None;
    }
    let label = text.get(..at)?;
    let name = label.split_once([',', '(', '–']).map_or(label, |(name, _)| name).trim();
    let words: Vec<&str> = name.split_whitespace().collect();
    let is_capital = |word: &&str| word.chars().next().is_some_and(char::is_uppercase);
    let is_name =
        |word: &&str| word.chars().all(|c| c.is_alphabetic() || matches!(c, '.' | '-' | '\'' | '’'));
    let is_loud = name.chars().all(|c| !c.is_lowercase());
    let enough = if is_loud { 1 } else { 2 };
    ((enough..=WORDS).contains(&words.len())
        && name.chars().count() > 2
        && words.iter().all(is_name)
        && words.iter().all(is_capital))
    .then_some(name)
}

/// Whether somebody speaks of themselves in a flat text.
pub(crate) fn is_first_person(flat: &str) -> bool {
    flat.starts_with("i ")
        || flat.starts_with("my ")
        || [" i ", " i'", " i’", " my ", " we ", " our ", " me "].iter().any(|form| flat.contains(form))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_told_from_clauses() {
        let check = |text: &str, expected: Option<&str>| assert_eq!(speaker(text), expected, "{text}");
        check("AMY HOOD:  Thanks, Satya.", Some("AMY HOOD"));
        check("Daniel Ives, FBR Capital: Yes, thanks.", Some("Daniel Ives"));
        check("OPERATOR: The next question.", Some("OPERATOR"));
        check("Note: this is none.", None);
        check("He said: go away.", None);
        check("At 10:30 it began.", None);
        check("She asked for three things: bread, salt and water.", None);
        assert!(is_first_person("so i was born there."));
        assert!(!is_first_person("it was far away."));
    }
}
