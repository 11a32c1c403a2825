//! Who speaks at a place of a text: a speaker's name before a colon, or the words before an open quotation.

use super::chats::message_head;
use super::headings::atx_heading;
use rustc_hash::FxHashMap;

/// Characters of a speaker's name before a colon.
const LABEL_CHARACTERS: usize = 40;
/// Words of a speaker's name.
const LABEL_WORDS: usize = 5;
/// Times that a document puts a name before a colon from which it is a speaker's; names in capitals need none.
const LABEL_TIMES: usize = 2;
/// Characters of the words before a quotation.
const LEAD_CHARACTERS: usize = 40;

/// Where somebody begins to speak, or nobody goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SpeakerTurn {
    /// Byte from which it holds.
    from: usize,
    /// As the text tells it, "AMY HOOD" or "孔明曰"; empty: nobody.
    speaker: String,
}

/// The speakers of a text, in order.
#[derive(Clone, Debug, Default)]
pub struct Speakers {
    /// By labels at the beginnings of lines.
    labels: Vec<SpeakerTurn>,
    /// By quotations.
    quotes: Vec<SpeakerTurn>,
}

impl Speakers {
    /// Reads a text once.
    ///
    /// ```
    /// # use graphwright::language::Speakers;
    /// let text = "AMY HOOD: Thank you.\nThis quarter revenue grew.";
    /// assert_eq!(Speakers::of(text).at(25), Some("AMY HOOD"));
    /// ```
    pub fn of(text: &str) -> Self {
        Self { labels: labels(text), quotes: quotes(text) }
    }

    /// Who speaks at a byte of the text; who begins to speak there does not.
    pub fn at(&self, byte: usize) -> Option<&str> {
        [&self.quotes, &self.labels].into_iter().find_map(|turns| {
            let last = turns.partition_point(|turn| turn.from < byte).checked_sub(1)?;
            turns.get(last).map(|turn| turn.speaker.as_str()).filter(|speaker| !speaker.is_empty())
        })
    }

    /// What a sentence of the text says, without the speaker's name before the colon that it may begin with.
    ///
    /// ```
    /// # use graphwright::language::Speakers;
    /// let text = "AMY HOOD: Thank you.\nNote: revenue grew.";
    /// let speakers = Speakers::of(text);
    /// assert_eq!(speakers.said_in("AMY HOOD: Thank you."), "Thank you.");
    /// assert_eq!(speakers.said_in("Note: revenue grew."), "Note: revenue grew.");
    /// ```
    pub fn said_in<'a>(&self, sentence: &'a str) -> &'a str {
        if let Some(head) = message_head(sentence) {
            return sentence.get(head.end..).unwrap_or_default().trim_start();
        }
        let Some((_, said)) = sentence.split_once([':', '：']) else { return sentence };
        let is_known = |name: &str| self.labels.iter().any(|turn| turn.speaker == name);
        if label_of(sentence).is_some_and(is_known) { said.trim_start() } else { sentence }
    }
}

/// Lines that begin with a speaker's name and a colon; a heading ends whatever was said above it.
fn labels(text: &str) -> Vec<SpeakerTurn> {
    let mut found: Vec<SpeakerTurn> = Vec::new();
    let mut times: FxHashMap<&str, usize> = FxHashMap::default();
    let mut at = 0_usize;
    for line in text.split_inclusive('\n') {
        if atx_heading(line.trim_end()).is_some() {
            found.push(SpeakerTurn { from: at.saturating_sub(1), speaker: String::new() });
        } else if let Some(head) = message_head(line) {
            times.insert(head.writer, LABEL_TIMES);
            found.push(SpeakerTurn { from: at, speaker: head.writer.to_owned() });
        } else if let Some(name) = label_of(line) {
            *times.entry(name).or_default() += 1;
            found.push(SpeakerTurn { from: at, speaker: name.to_owned() });
        }
        at += line.len();
    }
    found.retain(|turn| {
        let name = turn.speaker.as_str();
        name.is_empty() || is_in_capitals(name) || times.get(name).is_some_and(|times| *times >= LABEL_TIMES)
    });
    found
}

/// The name before the colon that a line begins with.
fn label_of(line: &str) -> Option<&str> {
    let (name, _) = line.split_once([':', '：'])?;
    let name = name.trim().trim_matches('*').trim();
    let fits = !name.is_empty() && name.chars().take(LABEL_CHARACTERS + 1).count() <= LABEL_CHARACTERS;
    let is_name = name.split_whitespace().count() <= LABEL_WORDS
        && name.chars().next().is_some_and(char::is_alphabetic)
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '.' | '\'' | '’' | '-' | '·'))
        && name.split_whitespace().all(|word| !word.starts_with(char::is_lowercase));
    (fits && is_name).then_some(name)
}

fn is_in_capitals(name: &str) -> bool {
    name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase)
}

/// Quotations with the words that lead to them. A quotation ends with its paragraph unless the next one begins with a mark
/// again: marks that are never closed would make the rest of a text somebody's speech.
fn quotes(text: &str) -> Vec<SpeakerTurn> {
    let mut turns = Vec::new();
    let mut at = 0_usize;
    let mut speaker = String::new();
    for line in text.split_inclusive('\n') {
        let goes_on = line.trim_start().starts_with(['“', '「', '『']);
        if !speaker.is_empty() && !goes_on && !line.trim().is_empty() {
            speaker.clear();
            turns.push(SpeakerTurn { from: at.saturating_sub(1), speaker: String::new() });
        }
        for (place, mark) in line.char_indices() {
            match mark {
                '“' | '「' => {
                    let lead = lead_of(line.get(..place).unwrap_or_default());
                    // a quotation that goes on over paragraphs is still the same one's
                    let continues = goes_on && place < 8 && line.trim_start().starts_with(mark);
                    if !(lead.is_empty() && continues) {
                        speaker = lead;
                    }
                    turns.push(SpeakerTurn { from: at + place, speaker: speaker.clone() });
                }
                '”' | '」' => {
                    speaker.clear();
                    turns.push(SpeakerTurn { from: at + place, speaker: String::new() });
                }
                _ => {}
            }
        }
        at += line.len();
    }
    turns
}

/// The words that lead to a quotation, "孔明曰" of "…。孔明曰：“"; empty where none do.
fn lead_of(before: &str) -> String {
    let Some(clause) = before.trim_end().strip_suffix([':', '：', ',', '，']) else { return String::new() };
    let start = clause
        .char_indices()
        .rev()
        .find(|(_, c)| {
            matches!(c, '。' | '，' | '；' | '！' | '？' | '”' | '」' | '.' | ',' | ';' | '!' | '?' | '\n')
        })
        .map_or(0, |(at, c)| at + c.len_utf8());
    let lead = clause.get(start..).unwrap_or_default().trim();
    if lead.chars().take(LEAD_CHARACTERS + 1).count() > LEAD_CHARACTERS {
        String::new()
    } else {
        lead.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, place: &str, expected: Option<&str>) {
        let speakers = Speakers::of(text);
        assert_eq!(speakers.at(text.find(place).unwrap()), expected, "{place}");
    }

    #[test]
    fn a_heading_ends_what_somebody_says() {
        let text = "## 2. Money\n\nAMY HOOD: Noted.\n\n## 3. Staff\n\nThe board thanked her.\n\nAMY HOOD: Good.\nYes.";
        check(text, "Noted", Some("AMY HOOD"));
        check(text, "## 3", None);
        check(text, "The board", None);
        check(text, "Yes", Some("AMY HOOD"));
    }

    #[test]
    fn a_label_holds_until_the_next_one() {
        let text =
            "AMY HOOD: Thank you.\n\nRevenue grew.\nNote: this is not a name.\nSATYA NADELLA: Good.\nYes.";
        check(text, "AMY", None);
        check(text, "Revenue", Some("AMY HOOD"));
        check(text, "this is", Some("AMY HOOD"));
        check(text, "Yes", Some("SATYA NADELLA"));
        check("Ann Lee: one.\nMore.", "More", None);
        check("Ann Lee: one.\nBob Ray: two.\nAnn Lee: three.\nMore.", "More", Some("Ann Lee"));
        check("马云：甲。\n刘强东：乙。\n马云：丙。\n还有。", "还有", Some("马云"));
    }

    #[test]
    fn a_message_is_its_writers() {
        let chat = "[2024-03-06 09:05] Tom: Coolair wants £2,890.\n[2024-03-06 09:12] Anna: Too expensive. Get a second offer.\n";
        check(chat, "second", Some("Anna"));
        check(chat, "wants", Some("Tom"));
        check("李芳 09:12\n服务器什么时候能到？\n\n王小明 09:15\n延期了。", "延期", Some("王小明"));
        assert_eq!(Speakers::of(chat).said_in("[2024-03-06 09:12] Anna: Too expensive."), "Too expensive.");
    }

    #[test]
    fn an_open_quotation_is_its_speakers() {
        let text = "次日，孔明笑曰：“曹操不足惧。江东可保。”鲁肃大喜。权曰：“善。\n后人有诗。";
        check(text, "江东", Some("孔明笑曰"));
        check(text, "鲁肃", None);
        check(text, "后人", None);
        check("He said, “One. Two.” Three.", "Two", Some("He said"));
        check("He said, “One.\n\n“Two. Deux.” Three.", "Deux", Some("He said"));
    }

    #[test]
    fn any_text_is_read() {
        for text in ["", "“", "”：“", ":", "：\n：", "“”“”"] {
            assert_eq!(Speakers::of(text).at(text.len() + 3).filter(|speaker| speaker.is_empty()), None);
        }
    }
}
