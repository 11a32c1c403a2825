//! What may be quoted of a text: its sentences, and pieces of those that are too long.

use crate::language::Language;
use crate::language::fields::sentences_and_fields;

/// Most characters of a quoted sentence.
pub(in crate::query) const QUOTE_CHARACTERS: usize = 400;
/// Characters between the beginnings of two pieces of a sentence that is too long to be quoted whole.
const STEP: usize = 130;

/// What says that nothing was found, in the language of the question.
pub(in crate::query) fn nothing_found(language: Language) -> &'static str {
    match language {
        Language::Chinese => "资料中没有找到与问题相关的内容。",
        _ => "The indexed documents hold nothing on this question.",
    }
}

/// What says that no sentence answers, before the nearest ones.
pub(in crate::query) fn nothing_sure(language: Language, about: &str) -> String {
    match language {
        Language::Chinese => format!("资料中没有找到关于“{about}”的答案，最接近的段落是："),
        _ => format!("Nothing found about {about}; the nearest passages are:"),
    }
}

/// The same where the nearest passages speak of what is asked about, and none of them answers.
pub(in crate::query) fn no_answer(language: Language, question: &str) -> String {
    match language {
        Language::Chinese => format!("资料中没有找到“{question}”的答案，最接近的段落是："),
        _ => format!("No answer found to “{question}”; the nearest passages are:"),
    }
}

/// The sentences of a text, the lines of a record apart, with their places in Unicode scalar values. One that is longer than [`QUOTE_CHARACTERS`]
/// gives several pieces that overlap, each from behind one mark between clauses up to another, so that what stands
/// together can be quoted together.
pub(in crate::query) fn quotable(unit: &str) -> Vec<(u64, u64, &str)> {
    let mut sentences = Vec::new();
    let mut character = 0_u64;
    let mut byte = 0;
    for range in sentences_and_fields(unit) {
        character += unit.get(byte..range.start).map_or(0, |gap| gap.chars().count() as u64);
        byte = range.end;
        let Some(sentence) = unit.get(range) else { continue };
        let length = sentence.chars().count();
        if length <= QUOTE_CHARACTERS {
            push_trimmed(&mut sentences, sentence, character);
        } else {
            push_pieces(&mut sentences, sentence, character);
        }
        character += length as u64;
    }
    sentences
}

/// As [`quotable`], for citations: what somebody says in a quotation is not cut between its clauses, at "；" or ":", as
/// long as the whole may be quoted.
pub(in crate::query) fn citable(unit: &str) -> Vec<(u64, u64, &str)> {
    let mut whole: Vec<(u64, u64, &str)> = Vec::new();
    let mut begun: Option<(usize, bool)> = None;
    // pieces begin in ascending order
    let mut places = unit.char_indices().enumerate();
    for (start, end, piece) in quotable(unit) {
        let Some((_, (at, _))) = places.find(|(place, _)| *place as u64 == start) else { continue };
        let joined = begun.filter(|(_, open)| *open).and_then(|(from, _)| {
            let (first, last, before) = whole.last().copied()?;
            let clause = before.trim_end().ends_with(['；', '：', ';', ':']);
            let gap = unit.get(from + before.len()..at)?;
            let text = unit.get(from..at + piece.len())?;
            let fits = start >= last && end - first <= QUOTE_CHARACTERS as u64 && !gap.contains('\n');
            (clause && fits).then_some((from, first, text))
        });
        if let Some((from, first, text)) = joined {
            whole.pop();
            whole.push((first, end, text));
            begun = Some((from, speaks(text)));
        } else {
            whole.push((start, end, piece));
            begun = Some((at, speaks(piece)));
        }
    }
    whole
}

/// Whether a quotation that a text opens is still open at its end.
fn speaks(text: &str) -> bool {
    let mut open = false;
    for character in text.chars() {
        match character {
            '“' | '「' | '『' | '«' => open = true,
            '”' | '」' | '』' | '»' => open = false,
            '"' => open = !open,
            _ => {}
        }
    }
    open
}

fn push_trimmed<'a>(sentences: &mut Vec<(u64, u64, &'a str)>, piece: &'a str, start: u64) {
    let trimmed = piece.trim();
    if trimmed.is_empty() {
        return;
    }
    let ahead = piece.len() - piece.trim_start().len();
    let start = start + piece.get(..ahead).map_or(0, |space| space.chars().count() as u64);
    sentences.push((start, start + trimmed.chars().count() as u64, trimmed));
}

/// Pieces of a long sentence: each as long as may be quoted, the next begins at least [`STEP`] characters on.
fn push_pieces<'a>(sentences: &mut Vec<(u64, u64, &'a str)>, sentence: &'a str, start: u64) {
    let borders = clause_borders(sentence);
    let mut from = 0;
    while let Some(&(first_character, first_byte)) = borders.get(from) {
        let (fits, last) = borders
            .iter()
            .enumerate()
            .skip(from + 1)
            .take_while(|(_, (character, _))| character - first_character <= QUOTE_CHARACTERS)
            .last()
            .map_or((from + 1, None), |(place, border)| (place, Some(border)));
        if let Some((_, last_byte)) = last
            && let Some(piece) = sentence.get(first_byte..*last_byte)
        {
            push_trimmed(sentences, piece, start + first_character as u64);
        }
        if fits + 1 >= borders.len() {
            break;
        }
        let next = borders
            .iter()
            .enumerate()
            .skip(from + 1)
            .find(|(_, (character, _))| character - first_character >= STEP)
            .map_or(borders.len(), |(place, _)| place);
        from = next.min(fits.max(from + 1));
    }
}

/// Where a piece may begin or end: the ends, behind marks between clauses, and where no mark comes for as long as may
/// be quoted. Characters and bytes.
fn clause_borders(sentence: &str) -> Vec<(usize, usize)> {
    let mut borders = vec![(0, 0)];
    let mut last = 0;
    let mut count = 0;
    for (at, c) in sentence.char_indices() {
        if count - last >= QUOTE_CHARACTERS {
            borders.push((count, at));
            last = count;
        }
        count += 1;
        let mark = matches!(c, '。' | '！' | '？' | '!' | '?' | ';' | '；' | ':' | '：' | ',' | '，' | '\n');
        if mark && count > last {
            borders.push((count, at + c.len_utf8()));
            last = count;
        }
    }
    if count > last {
        borders.push((count, sentence.len()));
    }
    borders
}
