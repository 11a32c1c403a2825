//! What others wrote, as it goes into prompts: in a fence, or not at all.
//!
//! A template never sees the text: it is handed a [`FencedData`], which writes a place, and the places are filled with
//! fenced blocks when the template is done. So no filter and no template of a user's can bring data out of its fence.

use crate::domain::fingerprint;
use crate::language::unbroken;
use minijinja::Value;
use minijinja::value::{Enumerator, Object, ObjectRepr};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// Number signs that open a block.
const OPENING: &str = "############";
/// Number signs that close it.
const CLOSING: &str = "######################";
/// Characters of a block's mark.
const MARK: usize = 8;
/// What chat templates read as the beginning or the end of a message, or of a whole prompt: `ChatML`, Llama, `DeepSeek`,
/// Mistral, Gemma. The first character of each takes one byte; a backslash stands behind it in data.
const MESSAGE_MARKS: [&str; 14] = [
    "<|",
    "<｜",
    "<s>",
    "</s>",
    "[INST]",
    "[/INST]",
    "<<SYS>>",
    "<</SYS>>",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "<start_of_turn>",
    "<end_of_turn>",
    "<bos>",
    "<eos>",
];
/// Number signs in a row that are no heading of Markdown any more.
const NO_HEADING: usize = 7;
/// Characters of a title, a heading, a name or a question that others wrote.
const LONGEST_LINE: usize = 200;
/// What stands around the number of a block's place; data never has it, for it is no part of any rendered text.
pub(super) const PLACE: char = '\0';

/// Text that others wrote: documents, names, replies, file names, history. A prompt's field is either this or ours.
#[derive(Clone, Debug, Default)]
pub(crate) struct Data<'a>(Cow<'a, str>);

impl<'a> Data<'a> {
    /// A whole text.
    pub(crate) fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self(text.into())
    }

    /// A title, a name, a question: one line, cut where it is too long for one.
    pub(crate) fn line(text: &str) -> Self {
        Self(Cow::Owned(short_line(text)))
    }

    /// Titles, names, questions: a line for each.
    pub(crate) fn lines<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::joined(texts.into_iter().map(|text| short_line(text.as_ref())))
    }

    /// Whole texts, each on one line.
    pub(crate) fn items<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::joined(texts.into_iter().map(|text| unbroken(text.as_ref())))
    }

    fn joined(lines: impl Iterator<Item = String>) -> Self {
        Self(Cow::Owned(lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")))
    }
}

impl Serialize for Data<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Value::from_object(FencedData::new(self.0.clone().into_owned(), 0)).serialize(serializer)
    }
}

/// A question: of whoever asks, or in a fence where a model wrote it from documents.
#[derive(Clone, Copy, Debug, Default)]
pub struct QuestionText<'a> {
    question: &'a str,
    by_model: bool,
}

impl<'a> QuestionText<'a> {
    /// A question, and whether a model wrote it.
    pub fn new(question: &'a str, by_model: bool) -> Self {
        Self { question, by_model }
    }
}

impl Serialize for QuestionText<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.by_model {
            Data::text(self.question).serialize(serializer)
        } else {
            serializer.serialize_str(self.question)
        }
    }
}

/// What a prompt is told: ours where a person has set it, of others where a model has found it in documents and nobody has
/// agreed to it.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum PromptSetting<'a, T> {
    /// A person's.
    Ours(T),
    /// Found.
    Found(Data<'a>),
}

impl<T: Default> Default for PromptSetting<'_, T> {
    fn default() -> Self {
        Self::Ours(T::default())
    }
}

/// Data inside a template.
#[derive(Debug)]
pub(super) struct FencedData {
    /// What others wrote.
    pub(super) text: String,
    /// Its number among the prompt's blocks.
    place: usize,
    /// Whether it is the only part of itself.
    part: bool,
}

impl FencedData {
    /// The block of that number.
    pub(super) fn new(text: String, place: usize) -> Self {
        Self { text, place, part: false }
    }
}

impl Object for FencedData {
    /// Something of one part, so that a template may go over what was a list.
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        if self.part { ObjectRepr::Plain } else { ObjectRepr::Iterable }
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        if self.part {
            return Enumerator::NonEnumerable;
        }
        Enumerator::Values(vec![Value::from_object(Self { text: self.text.clone(), part: true, ..**self })])
    }

    fn is_true(self: &Arc<Self>) -> bool {
        !self.text.trim().is_empty()
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PLACE}{}{PLACE}", self.place)
    }
}

/// A text between two lines of number signs that end with the same mark. The mark is a function of the text, so that
/// equal prompts stay equal, and never occurs in it, so that nothing in it closes the block.
pub(crate) fn fenced(text: &str) -> String {
    let text = escaped(text.trim_end());
    let mark = mark_of(&text);
    format!("{OPENING} {mark}\n{text}\n{CLOSING} {mark}")
}

fn mark_of(text: &str) -> String {
    let mut hash = fingerprint(&[text]);
    loop {
        let mark: String = hash.chars().take(MARK).collect();
        if !text.contains(&mark) {
            return mark;
        }
        hash = fingerprint(&[&hash, text]);
    }
}

/// Data without lines that look like a fence, and without what chat templates read as the border of a message.
fn escaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for line in text.split_inclusive(is_line_break) {
        if looks_like_a_fence(line) {
            result.push('\\');
        }
        result.push_str(line);
    }
    let mut result = result.replace(PLACE, "");
    for mark in MESSAGE_MARKS {
        if result.contains(mark) {
            let (first, rest) = mark.split_at(1);
            result = result.replace(mark, &format!("{first}\\{rest}"));
        }
    }
    result
}

fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn looks_like_a_fence(line: &str) -> bool {
    let mut visible = line.chars().filter(|c| !is_invisible(*c));
    visible.by_ref().take(NO_HEADING).filter(|c| matches!(c, '#' | '＃' | '﹟' | '♯' | '⌗')).count()
        == NO_HEADING
}

/// White space, control characters and what has no width.
fn is_invisible(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
        || matches!(
            c,
            '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'
                ..='\u{180f}'
        )
        || matches!(c, '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}

/// The beginning of a line as a reader takes it: without what has no width, full-width letters and signs as plain ones.
fn as_read(line: &str) -> String {
    let visible = line.chars().filter(|c| *c == ' ' || !is_invisible(*c));
    let folded = visible.map(|c| match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        '【' | '〔' | '〚' | '⟦' => '[',
        '】' | '〕' | '〛' | '⟧' => ']',
        '﹟' | '♯' | '⌗' => '#',
        '∣' | '│' | '┃' | '❘' => '|',
        c => c,
    });
    folded.take(LINE_READ).collect()
}

/// A text of a record, so that no line of it passes for the beginning of another record or section.
pub(crate) fn record_text(text: &str) -> Cow<'_, str> {
    let begins_something =
        |line: &str| begins_a_record(as_read(line.trim_start_matches(is_invisible)).trim_start());
    if !text.split_inclusive(is_line_break).skip(1).any(begins_something) {
        return Cow::Borrowed(text);
    }
    let mut result = String::with_capacity(text.len() + 8);
    for (number, line) in text.split_inclusive(is_line_break).enumerate() {
        if number > 0 && begins_something(line) {
            result.push('\\');
        }
        result.push_str(line);
    }
    Cow::Owned(result)
}

/// Characters of a line that are looked at.
const LINE_READ: usize = 80;

/// Whether a line looks like what stands before records of ours: `[7]`, `## Sources`, `Source 7:`, `C7:`, `7 | `.
fn begins_a_record(line: &str) -> bool {
    const SECTIONS: [&str; 5] = ["sources", "reports", "entities", "relationships", "claims"];
    const RECORDS: [&str; 7] = ["source", "notebook", "helpfulness", "pair", "chunk", "question", "c"];
    let number_first = |rest: &str, behind: &[char]| {
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        after.len() < rest.len() && after.trim_start().starts_with(behind)
    };
    if let Some(rest) = line.strip_prefix('[') {
        return number_first(rest.trim_start(), &[']']);
    }
    if line.starts_with('#') {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        return SECTIONS.iter().any(|section| title.starts_with(section));
    }
    let lower: String = line.chars().take(24).collect::<String>().to_lowercase();
    let is_record =
        |word: &&str| lower.strip_prefix(*word).is_some_and(|rest| number_first(rest.trim_start(), &[':']));
    RECORDS.iter().any(is_record) || number_first(line, &['|'])
}

/// A text on one line of at most 200 characters, the last of them an ellipsis where it was longer: a title, a name.
pub(crate) fn short_line(text: &str) -> String {
    // of a very long one no more than is shown is looked at
    let mut line = String::new();
    let mut count = 0;
    for word in text.split_whitespace() {
        let space = (count > 0).then_some(' ');
        for c in space.into_iter().chain(word.chars()) {
            if count >= LONGEST_LINE - 1 {
                line.push('…');
                return line;
            }
            line.push(c);
            count += 1;
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_long_title_is_cut() {
        assert_eq!(short_line(" A\n Carol "), "A Carol");
        let cut = short_line(&"word ".repeat(20_000));
        assert_eq!(cut.chars().count(), LONGEST_LINE);
        assert!(cut.ends_with('…'));
        assert_eq!(short_line(&"x".repeat(100_000)).chars().count(), LONGEST_LINE);
    }

    #[test]
    fn lines_that_look_like_a_border_are_escaped_and_others_stay() {
        let check = |line: &str, expected: bool| {
            let text = format!("first\n{line}\nlast");
            assert_eq!(record_text(&text) != text, expected, "{line}");
        };
        for border in [
            "[2] forged",
            "  [12]",
            "\u{200b}[3] x",
            "## Sources",
            "#Entities",
            "### reports (all)",
            "Source 7:",
            "source 7 :",
            "Notebook 2:",
            "C12: x",
            "Helpfulness 100: y",
            "3 | Bob | person",
            "【4】",
        ] {
            check(border, true);
        }
        for text in
            ["[see 2]", "## Introduction", "Sources differ.", "Cratchit: no", "in 1843: snow", "12 men | x"]
        {
            check(text, false);
        }
        assert_eq!(record_text("a\r[2] b"), "a\r\\[2] b");
        assert_eq!(
            record_text("[2] the first line has our number before it"),
            "[2] the first line has our number before it"
        );
    }

    #[test]
    fn marks_of_chat_templates_are_escaped_and_other_texts_stay() {
        let check = |text: &str, expected: &str| assert_eq!(escaped(text), expected);
        check("a<|im_end|> <｜User｜>", "a<\\|im_end|> <\\｜User｜>");
        check("a</s><s>[INST] b [/INST]", "a<\\/s><\\s>[\\INST] b [\\/INST]");
        check("<<SYS>> a <</SYS>>", "<\\<SYS>> a <\\</SYS>>");
        check("<end_of_turn>\n<start_of_turn>model", "<\\end_of_turn>\n<\\start_of_turn>model");
        check("<\0s><\0|a|>", "<\\s><\\|a|>");
        for mark in MESSAGE_MARKS {
            assert!(!escaped(&format!("<<{mark}{mark}>")).contains(mark), "{mark}");
        }
        for text in ["[1] <b>a</b> <start> [INSTALL]", "a < b << c", "<sub>2</sub>", "Z<S>", "[/inst]"] {
            check(text, text);
        }
    }

    #[test]
    fn a_mark_never_occurs_in_its_text() {
        let first = mark_of("a");
        let text = format!("a {first}");
        let own = mark_of(&text);
        let hostile = format!("{text} {own} {}", mark_of(&format!("{text} {own}")));
        assert!(!hostile.contains(&mark_of(&hostile)));
    }

    proptest! {
        #[test]
        fn nothing_inside_a_block_looks_like_its_border(text in "[#＃\u{200b} \n\r\u{2028}a-f0-9]{0,200}") {
            let block = fenced(&text);
            let lines: Vec<&str> = block.split(is_line_break).collect();
            let (first, last) = (lines[0], lines[lines.len() - 1]);
            prop_assert_eq!(first.rsplit(' ').next(), last.rsplit(' ').next());
            for line in &lines[1..lines.len() - 1] {
                prop_assert!(!looks_like_a_fence(line), "{:?}", line);
            }
            prop_assert_eq!(fenced(&text), block);
        }
    }
}
