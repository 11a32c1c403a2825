//! Sentence borders, English and Chinese first.
//!
//! One pass over the characters, with a bounded look back (the word before a stop) and ahead (what opens the next
//! sentence), so that a hundred megabytes in one line take linear time.

use super::abbreviations::{BeforeStop, stop_after};
use super::chats::{is_stamped, message_head};
use super::folding::is_wide_digit;
use super::headings::{is_heading_line, is_underline, stands_right_above};
use super::words::is_han;
use std::ops::Range;

/// Byte ranges of the sentences of a text, in order, white space around each left out, none empty.
///
/// A sentence ends at `.`, `!`, `?`, `…` where white space and no lower-case letter follows and no abbreviation or
/// initial stands before; at `。！？；…` and the full stops of other scripts; closing quotes and brackets belong to it.
/// Blank lines, headings (those right above their text as well), list items and HTML paragraph tags end one, other line
/// breaks do not. A row of a table is one, unless it is long.
///
/// ```
/// # use graphwright::language::sentences;
/// let text = "'Mr. Marley is dead.' He said no more.";
/// let found: Vec<&str> = sentences(text).into_iter().map(|range| &text[range]).collect();
/// assert_eq!(found, ["'Mr. Marley is dead.'", "He said no more."]);
/// ```
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (block, is_heading) in blocks(text) {
        if is_heading || is_short_row(text, &block) {
            push_trimmed(text, block, &mut found);
        } else {
            split_block(text, block, &mut found);
        }
    }
    found
}

/// Bytes of a table row up to which it is one sentence, whatever its cells hold.
const ROW_BYTES: usize = 600;

/// Whether a block is a row of a table that says one thing: `| Main Hall | Miss P. Adeyemi | 95 |`.
fn is_short_row(text: &str, block: &Range<usize>) -> bool {
    text.get(block.clone()).is_some_and(|row| row.len() <= ROW_BYTES && is_row(row))
}

/// Whether a line is a row of a table from its first cell to its last.
fn is_row(line: &str) -> bool {
    let line = line.trim();
    line.len() > 1 && line.starts_with('|') && line.ends_with('|') && !line.contains('\n')
}

/// Bytes of a text that [`halves`] does not divide any more: some three sentences.
const WHOLE_BYTES: usize = 400;

/// A text in two, at the sentence border nearest to its middle, else in the middle; `None` where it is too short to be
/// worth it.
pub fn halves(text: &str) -> Option<(&str, &str)> {
    if text.len() <= WHOLE_BYTES {
        return None;
    }
    let middle = text.len() / 2;
    let border = sentences(text)
        .into_iter()
        .map(|sentence| sentence.start)
        .filter(|start| *start > 0)
        .min_by_key(|start| start.abs_diff(middle));
    let quarter = text.len() / 4;
    let at = match border {
        Some(border) if border.abs_diff(middle) <= quarter => border,
        _ => (middle..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len()),
    };
    Some(text.split_at(at))
}

/// Parts of a text that no sentence crosses: paragraphs, headings, list items; and whether each is a heading right above its text.
fn blocks(text: &str) -> Vec<(Range<usize>, bool)> {
    let mut blocks = Vec::new();
    let mut start = 0;
    let mut at = 0;
    let mut is_first = true;
    let mut end_block = |start: &mut usize, end: usize, next: usize, is_heading: bool| {
        if *start < end {
            blocks.push((*start..end, is_heading));
        }
        *start = next;
    };
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        if line.trim().is_empty() {
            end_block(&mut start, at, end, false);
        } else if is_underline(line) {
            end_block(&mut start, end, end, false);
        } else if is_heading_line(line) {
            end_block(&mut start, at, at, false);
            end_block(&mut start, end, end, false);
        } else if opens_block(line) || is_first {
            end_block(&mut start, at, at, false);
            let next = || text.get(end..).and_then(|rest| rest.lines().next()).unwrap_or_default();
            let is_heading = is_first && stands_right_above(line, next());
            if is_heading || is_row(line) {
                end_block(&mut start, end, end, is_heading);
            }
        }
        is_first = line.trim().is_empty();
        for tag in paragraph_tags(line) {
            // those of a heading stand in the block that it is
            if at + tag.start >= start {
                end_block(&mut start, at + tag.start, at + tag.end, false);
            }
        }
        at = end;
    }
    end_block(&mut start, text.len(), text.len(), false);
    blocks
}

/// What list items begin with.
const BULLETS: [&str; 20] = [
    "- ", "* ", "+ ", "• ", "> ", "|", "・", "·", "– ", "◦ ", "▪ ", "● ", "○ ", "[ ]", "[x]", "[X]", "☐",
    "☑", "☒", "✓",
];

/// Whether a line starts a list item, a quotation, a table row, an entry of a timetable, a log or a chat, or an indented
/// Chinese paragraph.
fn opens_block(line: &str) -> bool {
    if line.starts_with("\u{3000}\u{3000}") {
        return true;
    }
    let line = line.trim_start();
    let digits = line.bytes().take(4).take_while(u8::is_ascii_digit).count();
    let after_number = line.get(digits..).unwrap_or("");
    BULLETS.iter().any(|mark| line.starts_with(mark))
        || digits > 0
            && digits < 4
            && [". ", ") ", "、", "）"].iter().any(|mark| after_number.starts_with(mark))
        || is_number_in_brackets(line)
        || is_hour_ahead(line)
        || is_stamped(line)
        || message_head(line).is_some()
}

/// Whether a line begins with the number of an item: "(1) ", （二）, ③.
fn is_number_in_brackets(line: &str) -> bool {
    const HAN: &str = "一二三四五六七八九十";
    if line.starts_with(|c: char| ('①'..='⑳').contains(&c)) {
        return true;
    }
    let Some((number, behind)) = line.strip_prefix(['(', '（']).and_then(|rest| rest.split_once([')', '）']))
    else {
        return false;
    };
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit())
        || number.chars().all(|c| HAN.contains(c))
        || number.len() == 1
            && number.starts_with(|c: char| c.is_ascii_lowercase())
            && behind.starts_with(' ');
    (1..=6).contains(&number.len()) && is_number
}

/// Whether a line begins with an hour, as in a timetable: "07:35 Train to the coast", 8：30 集合.
fn is_hour_ahead(line: &str) -> bool {
    let Some((hour, rest)) = line.split_once([':', '：']) else { return false };
    let minutes = rest.bytes().take_while(u8::is_ascii_digit).count();
    let is_free = rest.get(minutes..).is_some_and(|behind| {
        behind.starts_with(|c: char| {
            c.is_whitespace() || is_han(c) || matches!(c, '-' | '–' | '—' | '～' | '~')
        })
    });
    (1..=2).contains(&hour.len()) && hour.bytes().all(|byte| byte.is_ascii_digit()) && minutes == 2 && is_free
}

/// `<p>`, `</p>`, `<br>` and `<br/>` in a line: texts that were web pages keep them.
fn paragraph_tags(line: &str) -> impl Iterator<Item = Range<usize>> {
    line.match_indices('<').filter_map(|(at, _)| {
        let tag = line.get(at..)?;
        ["<p>", "</p>", "<br>", "<br/>", "<br />", "<P>", "</P>", "<BR>"]
            .iter()
            .find(|known| tag.starts_with(**known))
            .map(|known| at..at + known.len())
    })
}

/// What a stop character does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StopCharacter {
    /// `。` and its like: ends a sentence whatever follows.
    Always,
    /// `.`: perhaps an abbreviation.
    Dot,
    /// `!`, `?`, `…`: ends one where white space and a capital follow.
    Mark,
}

impl StopCharacter {
    /// What two stops in a row do.
    fn joined(self, next: Self) -> Self {
        match (self, next) {
            (Self::Always, _) | (_, Self::Always) => Self::Always,
            (Self::Dot, Self::Dot) => Self::Dot,
            _ => Self::Mark,
        }
    }
}

fn stop(character: char, before: Option<char>) -> Option<StopCharacter> {
    let after_han = before.is_some_and(is_han);
    match character {
        '。' | '！' | '？' | '；' | '．' | '｡' | '।' | '॥' | '۔' | '؟' | '։' | '።' | '។' | '။' => {
            Some(StopCharacter::Always)
        }
        '…' | '!' | '?' | ';' if after_han => Some(StopCharacter::Always),
        '.' => Some(StopCharacter::Dot),
        '!' | '?' | '…' | '‽' => Some(StopCharacter::Mark),
        _ => None,
    }
}

fn split_block(text: &str, block: Range<usize>, found: &mut Vec<Range<usize>>) {
    let body = text.get(..block.end).unwrap_or(text);
    let mut cursor = Cursor { text: body, at: block.start, before: None, straight_quotes: 0 };
    let mut start = block.start;
    while let Some(character) = cursor.peek() {
        let stop_at = cursor.at;
        let (kind, before) = (stop(character, cursor.before), cursor.before);
        cursor.advance();
        // ７．５ is one number
        let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit() || is_wide_digit(c));
        let is_point = character == '．' && is_digit(before) && is_digit(cursor.peek());
        let Some(kind) = kind.filter(|_| !is_point) else { continue };
        if cursor.ends_sentence(kind, start, stop_at) {
            push_trimmed(body, start..cursor.at, found);
            start = cursor.at;
        }
    }
    push_trimmed(body, start..block.end, found);
}

fn push_trimmed(text: &str, range: Range<usize>, found: &mut Vec<Range<usize>>) {
    let Some(part) = text.get(range.clone()) else { return };
    let trimmed = without_half_marks(part.trim());
    if !trimmed.is_empty() {
        let start = range.start + (trimmed.as_ptr() as usize - part.as_ptr() as usize);
        found.push(start..start + trimmed.len());
    }
}

/// A sentence without the one half of `**` that stands at its border: "**1." and "Accident of 17 October.**" of a paragraph's
/// bold opening.
fn without_half_marks(sentence: &str) -> &str {
    const BOLD: &str = "**";
    if sentence.matches(BOLD).count() != 1 {
        return sentence;
    }
    let half = sentence.strip_suffix(BOLD).or_else(|| sentence.strip_prefix(BOLD));
    half.map(str::trim).filter(|half| !half.is_empty()).unwrap_or(sentence)
}

/// A place in a block.
struct Cursor<'a> {
    text: &'a str,
    at: usize,
    before: Option<char>,
    /// `"` seen in this block: odd means that one is open.
    straight_quotes: usize,
}

impl Cursor<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    fn advance(&mut self) {
        if let Some(character) = self.peek() {
            if character == '"' {
                self.straight_quotes = self.quotes_behind();
            }
            self.at += character.len_utf8();
            self.before = Some(character);
        }
    }

    /// Straight quotation marks behind the one that comes. A mark behind a colon opens, whatever was counted before; the
    /// first of a block that begins inside a quotation closes.
    fn quotes_behind(&self) -> usize {
        match self.before {
            Some('：' | ':') => self.straight_quotes | 1,
            _ if self.ends_what_begins_before() => 2,
            _ => self.straight_quotes + 1,
        }
    }

    /// Whether the mark that comes closes a quotation that begins before the block: the first one, behind a stop, while
    /// the next opens behind a colon.
    fn ends_what_begins_before(&self) -> bool {
        let behind_stop =
            self.before.is_some_and(|before| matches!(before, '。' | '！' | '？' | '…' | '!' | '?'));
        let rest = || self.text.get(self.at + 1..).unwrap_or("");
        self.straight_quotes == 0
            && behind_stop
            && rest().split_once('"').is_none_or(|(before, _)| before.ends_with(['：', ':']))
    }

    /// Moves over what belongs to a stop (more stops, closing quotes and brackets) and says whether it is a border.
    fn ends_sentence(&mut self, kind: StopCharacter, start: usize, stop_at: usize) -> bool {
        let mut kind = kind;
        let mut stop_count = 1;
        while let Some(character) = self.peek() {
            if let Some(next_stop) = stop(character, None) {
                stop_count += 1;
                kind = kind.joined(next_stop);
            } else if !self.closes(character, kind) {
                break;
            }
            self.advance();
        }
        match kind {
            StopCharacter::Always => true,
            StopCharacter::Mark => self.opens_sentence(BeforeStop::Word),
            StopCharacter::Dot if stop_count > 1 => self.opens_sentence(BeforeStop::Word),
            StopCharacter::Dot => {
                let before = self.text.get(start..stop_at).unwrap_or("");
                self.opens_sentence(stop_after(before))
            }
        }
    }

    /// Whether a character after a stop still belongs to the sentence.
    fn closes(&self, character: char, kind: StopCharacter) -> bool {
        match character {
            '"' | '\'' if kind == StopCharacter::Always => {
                character == '"' && (self.straight_quotes % 2 == 1 || self.ends_what_begins_before())
            }
            '”' | '’' | '」' | '』' | '》' | '）' | '】' | '〉' | '»' | '"' | '\'' | ')' | ']' | '}'
            | '*' | '_' => true,
            _ => false,
        }
    }

    /// Whether white space and then the start of a sentence follow.
    fn opens_sentence(&self, before: BeforeStop) -> bool {
        let rest = self.text.get(self.at..).unwrap_or("");
        let next = rest.trim_start();
        if next.is_empty() {
            return true;
        }
        let first = next.chars().next().unwrap_or(' ');
        if next.len() == rest.len() {
            return is_han(first) && before == BeforeStop::Word;
        }
        let opened = next.trim_start_matches(['"', '\'', '“', '‘', '«', '(', '[', '_', '*', '¿', '¡']);
        let Some(letter) = opened.chars().next() else { return true };
        if letter.is_lowercase() || matches!(first, '.' | ',' | ';' | ':' | '!' | '?' | ')') {
            return false;
        }
        before.allows(opened)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<&str> = sentences(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn paragraph_tags_of_a_heading_do_not_tell_it_again() {
        check("# A <p>b</p> c\nThe end.", &["# A <p>b</p> c", "The end."]);
        check("One.<p>Two.</p>\nThree.", &["One.", "Two.", "Three."]);
    }

    #[test]
    fn a_row_of_a_table_is_one_unless_it_is_long() {
        let row = "| 26 April | Miss P. Adeyemi. Paid | 95 |";
        check(&format!("{row}\nIt ended. So did we."), &[row, "It ended.", "So did we."]);
        let long = format!("| {} |", "He left. ".repeat(80).trim());
        assert!(sentences(&long).len() > 70);
    }

    #[test]
    fn a_stop_and_a_capital_end_a_sentence() {
        check("Marley was dead. There is no doubt.", &["Marley was dead.", "There is no doubt."]);
        check("Is it? It is! So", &["Is it?", "It is!", "So"]);
        check("  one  ", &["one"]);
        check("", &[]);
        check(" \n\n ", &[]);
        check("It ended. 3 men left. (They sang.) End", &["It ended.", "3 men left.", "(They sang.)", "End"]);
        check("Wait... What? Wait... what?", &["Wait...", "What?", "Wait... what?"]);
        check("Wait… He left. And . . . so on", &["Wait…", "He left.", "And . . . so on"]);
    }

    #[test]
    fn a_text_that_begins_inside_a_quotation_does_not_turn_the_others_round() {
        check(
            "开门！\"田氏曰：\"吾已降矣。\"布大骂，引军去。陈宫曰：\"走！\"",
            &["开门！\"", "田氏曰：\"吾已降矣。\"", "布大骂，引军去。", "陈宫曰：\"走！\""],
        );
        check("他来了。\"你好。\"她说。", &["他来了。", "\"你好。\"", "她说。"]);
    }

    #[test]
    fn abbreviations_initials_and_numbers_do_not() {
        check(
            "Mr. and Mrs. Cratchit met Dr. No at St. Paul's.",
            &["Mr. and Mrs. Cratchit met Dr. No at St. Paul's."],
        );
        check(
            "The U.S. Government pays 3.14 for No. 5, e.g. Tuesday.",
            &["The U.S. Government pays 3.14 for No. 5, e.g. Tuesday."],
        );
        check("He lives in the U.S. The rest do not.", &["He lives in the U.S.", "The rest do not."]);
        check("J. B. Lippincott of Acme Inc. He left.", &["J. B. Lippincott of Acme Inc.", "He left."]);
        check(
            "\"No.\" He left. So did I. We met at 5 p.m. Tuesday.",
            &["\"No.\"", "He left.", "So did I.", "We met at 5 p.m. Tuesday."],
        );
        check(
            "See Fig. 3 and Vol. II on Jan. 5. Then stop.",
            &["See Fig. 3 and Vol. II on Jan. 5.", "Then stop."],
        );
        check(
            "Apples, pears, etc. Then home. See www.example.com now.",
            &["Apples, pears, etc.", "Then home.", "See www.example.com now."],
        );
    }

    #[test]
    fn quotes_that_close_after_the_stop_belong_to_it() {
        check("'Bah!' said Scrooge. 'Humbug!' He left.", &["'Bah!' said Scrooge.", "'Humbug!'", "He left."]);
        check("“I know.” “So do I.”", &["“I know.”", "“So do I.”"]);
        check("_Stop._ 'Well!'--said he, 'No.'", &["_Stop._", "'Well!'--said he, 'No.'"]);
    }

    #[test]
    fn chinese_stops_need_no_space() {
        check(
            "桓帝崩，灵帝即位。建宁二年！何事？飞曰：“好。”众喜；遂行",
            &["桓帝崩，灵帝即位。", "建宁二年！", "何事？", "飞曰：“好。”", "众喜；", "遂行"],
        );
        check("帝曰：\"何事？\"众曰：\"无。\"", &["帝曰：\"何事？\"", "众曰：\"无。\""]);
        check(
            "急止之曰；\"他是朝廷命官，岂可擅杀？\"飞曰。",
            &["急止之曰；", "\"他是朝廷命官，岂可擅杀？\"", "飞曰。"],
        );
        check("他说：「走吧……」然后走了。「好！」", &["他说：「走吧……」", "然后走了。", "「好！」"]);
        check("<p> 话说天下。</p><p> 建宁二年</p>", &["话说天下。", "建宁二年"]);
        check("功率７．５千瓦．重２．４吨", &["功率７．５千瓦．", "重２．４吨"]);
    }

    #[test]
    fn messages_lines_of_a_log_and_boxes_to_tick_begin_sentences() {
        check(
            "[2024-03-02 10:26] Priya: OK 👍\n[2024-03-04 15:40] Karel: It is warm. Help",
            &["[2024-03-02 10:26] Priya: OK 👍", "[2024-03-04 15:40] Karel: It is warm.", "Help"],
        );
        check("李芳 09:12\n到了？\n王小明 09:15\n到了", &["李芳 09:12\n到了？", "王小明 09:15\n到了"]);
        check(
            "2024-03-10 02:47:00 INFO copied a\n2024-03-10 02:47:30 INFO copied b",
            &["2024-03-10 02:47:00 INFO copied a", "2024-03-10 02:47:30 INFO copied b"],
        );
        check(
            "[x] sign lease\n[ ] try chair\n☐ ring Tom",
            &["[x] sign lease", "[ ] try chair", "☐ ring Tom"],
        );
        check("(1) flour\n(2) milk\n（三）鸡蛋\n④糖", &["(1) flour", "(2) milk", "（三）鸡蛋", "④糖"]);
        check("It was (as said\n(before) not\nso) late.", &["It was (as said\n(before) not\nso) late."]);
    }

    #[test]
    fn half_of_a_bold_opening_is_no_part_of_a_sentence() {
        let text = "**1. Accident of 17 October.** Hanneke visited him. **Well.** He said **no**. A ** B.";
        let found: Vec<&str> = sentences(text).into_iter().map(|range| &text[range]).collect();
        let wanted = [
            "1.",
            "Accident of 17 October.",
            "Hanneke visited him.",
            "**Well.**",
            "He said **no**.",
            "A ** B.",
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn blank_lines_headings_and_items_end_a_sentence_and_line_breaks_do_not() {
        check("FIRST USE\nFill the kettle to the mark.", &["FIRST USE", "Fill the kettle to the mark."]);
        check(
            "1. Roof\nJon Pask has two quotes.\n\nHe said\nFIRST USE\nand left the room.",
            &["1. Roof", "Jon Pask has two quotes.", "He said\nFIRST USE\nand left the room."],
        );
        check(
            "The register\r\nwas signed. It\r\nwas.\r\n\r\nNext",
            &["The register\r\nwas signed.", "It\r\nwas.", "Next"],
        );
        check("# Title\ntext goes\non", &["# Title", "text goes\non"]);
        check("第一回 宴桃园豪杰三结义\n话说天下", &["第一回 宴桃园豪杰三结义", "话说天下"]);
        check("Buy:\n- apples\n- pears\n1. sell", &["Buy:", "- apples", "- pears", "1. sell"]);
        check("Title\n=====\ntext", &["Title\n=====", "text"]);
        check(
            "Monday\n07:35 Train to Oban, seat 41\n19:00–20:15 Ferry",
            &["Monday", "07:35 Train to Oban, seat 41", "19:00–20:15 Ferry"],
        );
        check("We met at\n10:30. He left at\n12:00", &["We met at\n10:30.", "He left at\n12:00"]);
    }

    #[test]
    fn a_long_line_takes_linear_time() {
        for unit in ["a", ". ", "a. ", "'", "。", "U.S. ", "\"", "<", " ", "!"] {
            let text = unit.repeat(2_000_000 / unit.len());
            assert!(sentences(&text).len() <= text.len());
        }
    }

    proptest! {
        #[test]
        fn ranges_are_ordered_trimmed_and_leave_out_only_white_space(
            text in "([a-zA-Z]{1,4}|[ .!?\"'\r\n]|Mr\\.|[。！？；…”」桃园]|#|\\PC){0,80}",
        ) {
            let mut end = 0;
            for range in sentences(&text) {
                prop_assert!(range.start >= end && range.start < range.end);
                prop_assert_eq!(text[range.clone()].trim(), &text[range.clone()]);
                prop_assert!(text[end..range.start].trim().is_empty());
                end = range.end;
            }
            prop_assert!(text[end..].trim().is_empty());
        }
    }
}
