//! Who speaks in a written talk: the label that a turn begins with.

use super::chats::message_head;
use super::words::is_han;

/// Most characters of a label.
const LABEL: usize = 70;
/// Words of a speaker's name.
const WORDS: usize = 5;

/// Who speaks from here on, where a text begins with a speaker's label: "AMY HOOD: …", "Daniel Ives, FBR Capital: …", or
/// with the head of a message.
pub(crate) fn speaker(text: &str) -> Option<&str> {
    if let Some(head) = message_head(text) {
        return Some(head.writer);
    }
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

/// A text without the label of who speaks.
pub(crate) fn without_speaker(text: &str) -> &str {
    if let Some(head) = message_head(text) {
        return text.get(head.end..).unwrap_or_default().trim_start();
    }
    let behind = speaker(text).and_then(|_| text.split_once([':', '：']));
    behind.map_or(text, |(_, behind)| behind.trim_start())
}

/// Whether what somebody says greets or thanks and tells nothing: "Thanks, Karl.", 谢谢大家.
pub(crate) fn is_courtesy(said: &str) -> bool {
    const FIRST: [&str; 12] = [
        "thanks",
        "thank",
        "hi",
        "hello",
        "hey",
        "welcome",
        "congrats",
        "congratulations",
        "greetings",
        "operator",
        "okay",
        "ok",
    ];
    const CHINESE: [&str; 6] = ["谢谢", "感谢", "多谢", "大家好", "各位好", "你好"];
    const DAY: [&str; 4] = ["morning", "afternoon", "evening", "day"];
    let flat = said.to_lowercase();
    let mut words = flat.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    FIRST.contains(&first)
        || first == "good" && DAY.contains(&second)
        || flat.contains("for taking my question")
        || flat.contains("for taking the question")
        || CHINESE.iter().any(|form| said.starts_with(form))
}

/// Whether somebody speaks of themselves in a flat text.
pub(crate) fn is_first_person(flat: &str) -> bool {
    flat.starts_with("i ")
        || flat.starts_with("my ")
        || [" i ", " i'", " i’", " my ", " we ", " our ", " me "].iter().any(|form| flat.contains(form))
}

/// Characters between a Chinese name and the verb that it speaks with: 孙策唤弟权至前曰.
const LEAD: usize = 24;

/// Whether a flat text quotes whom a name is: 孙策…曰："…", "said Bob: '…'".
pub(crate) fn says(flat: &str, name: &str) -> bool {
    const SAYS: [&str; 14] = [
        "said",
        "cried",
        "asked",
        "replied",
        "returned",
        "observed",
        "answered",
        "says",
        "exclaimed",
        "added",
        "whispered",
        "shouted",
        "pleaded",
        "muttered",
    ];
    if name.chars().any(is_han) {
        return flat.match_indices(name).any(|(at, found)| {
            let behind: String =
                flat.get(at + found.len()..).unwrap_or_default().chars().take(LEAD).collect();
            let verb = ["曰", "道", "说", "言", "云"].iter().filter_map(|verb| {
                let at = behind.find(verb)?;
                let rest = behind.get(at + verb.len()..)?;
                rest.starts_with(['：', ':', '，', '“', '"']).then_some(at)
            });
            // another sentence has begun before
            verb.min().is_some_and(|at| !behind.get(..at).unwrap_or_default().contains(['。', '"', '“', '”']))
        });
    }
    if !flat.contains(['"', '“', '‘', '\'']) {
        return false;
    }
    // "Bob?' cried Fred": a mark between the name and the verb parts them
    let words: Vec<&str> = flat.split(' ').collect();
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let is_verb = |word: &str| SAYS.contains(&bare(word).as_str());
    let parts: Vec<&str> = name.split(' ').collect();
    words.windows(parts.len()).enumerate().any(|(at, window)| {
        let is_name = window.iter().zip(&parts).all(|(word, part)| bare(word) == **part);
        let ahead = at.checked_sub(1).and_then(|at| words.get(at));
        let behind = words.get(at + parts.len());
        let ends = |word: &str| word.ends_with(char::is_alphanumeric);
        is_name
            && (ahead.is_some_and(|word| is_verb(word) && ends(word))
                || behind.is_some_and(|word| is_verb(word)) && window.last().is_some_and(|word| ends(word)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_courtesy_tells_nothing() {
        for text in ["Thanks, Karl.", "Thank you very much.", "Good afternoon, everyone.", "谢谢大家。"]
        {
            assert!(is_courtesy(text), "{text}");
        }
        for text in ["The mill thanked nobody.", "Good flour is dear.", "他感谢大家。"] {
            assert!(!is_courtesy(text), "{text}");
        }
        assert_eq!(without_speaker("ANN LEE: We sold more."), "We sold more.");
        assert_eq!(without_speaker("[10:15] Ann: We sold more."), "We sold more.");
        assert_eq!(without_speaker("We sold more: a third."), "We sold more: a third.");
    }

    #[test]
    fn who_is_quoted_is_told() {
        assert!(says("孙策唤弟孙权至前，嘱曰：\"善事之。\"", "孙策"));
        assert!(!says("权见孙策。张昭曰：\"善。\"", "孙策"));
        assert!(says("'my little child!' cried bob. 'my child!'", "bob"));
        assert!(!says("'where is bob?' cried fred.", "bob"));
    }

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
