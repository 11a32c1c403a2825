//! An answer without a model: the best sentences, ordered and cited.

pub mod sentences;
pub mod say;
pub(in crate::query) mod map_reduce;
pub(in crate::query) mod proof;

use super::question::Question;
use super::{Answer, Citation};
use crate::domain::{RecordKind, SourceSentence, StoredUnit};
use crate::language::{self, Language};
use sentences::{Sentence, best_sentences};

/// Sentences of an extractive answer.
const ANSWER_SENTENCES: usize = 5;
/// Share of the best sentence's score that the others must reach.
const NEAR_THE_BEST: f64 = 0.6;
/// Most characters of a quoted sentence.
pub const QUOTE_CHARACTERS: usize = 400;
/// Characters between the beginnings of two pieces of a sentence that is too long to be quoted whole.
const STEP: usize = 130;

/// What says that nothing was found, in the language of the question.
pub fn nothing_found(language: Language) -> &'static str {
    match language {
        Language::Chinese => "资料中没有找到与问题相关的内容。",
        _ => "The indexed documents hold nothing on this question.",
    }
}

/// Answers by the best sentences of text units, cited.
pub(super) fn by_sentences(
    question: &Question,
    units: &[(&StoredUnit, f64)],
    result: &mut Answer,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) {
    let (text, sources) = extractive(question, units);
    on_text(&text);
    result.answer = text;
    result.citations = citations_of(&sources, units);
    result.sources = sources;
}

/// Answer text and its sources: the sentences that stand near the best one, in the order of the text. Each is cited
/// by its number among the sources.
pub fn extractive(question: &Question, units: &[(&StoredUnit, f64)]) -> (String, Vec<SourceSentence>) {
    let clauses = match question.clauses.as_slice() {
        [] => std::slice::from_ref(question),
        clauses => clauses,
    };
    let mut chosen: Vec<Sentence> = Vec::new();
    for clause in clauses {
        let best = best_sentences(clause, units);
        let top = best.first().map_or(0.0, |sentence| sentence.score);
        let place = |sentence: &Sentence| (sentence.source.document.clone(), sentence.source.start);
        let good = best
            .into_iter()
            .take_while(|sentence| sentence.score >= NEAR_THE_BEST * top)
            .take(ANSWER_SENTENCES.div_ceil(clauses.len()))
            .filter(|sentence| chosen.iter().all(|other| place(other) != place(sentence)));
        let good: Vec<Sentence> = good.collect();
        chosen.extend(good);
    }
    if chosen.is_empty() {
        return (nothing_found(question.language).to_owned(), Vec::new());
    }
    let sources = in_reading_order(chosen);
    let mut answer = String::new();
    for (place, source) in sources.iter().enumerate() {
        if !answer.is_empty() {
            answer.push('\n');
        }
        let flat = source.text.split_whitespace().collect::<Vec<_>>().join(" ");
        answer.extend([format!("{flat} [Data: Sources ({})]", place + 1)]);
    }
    (answer, sources)
}

/// The citations of an extractive answer: number n is its nth source.
pub fn citations_of(sources: &[SourceSentence], units: &[(&StoredUnit, f64)]) -> Vec<Citation> {
    sources
        .iter()
        .enumerate()
        .map(|(place, source)| Citation {
            kind: RecordKind::Sources,
            number: place + 1,
            id: source.text_unit_id.clone(),
            name: source.document.clone(),
            headings: units
                .iter()
                .find(|(unit, _)| unit.unit.id == source.text_unit_id)
                .map(|(unit, _)| unit.unit.headings.clone())
                .unwrap_or_default(),
            sentence: Some(source.clone()),
        })
        .collect()
}

/// Documents in the order of their best sentence; within a document the order of the text.
fn in_reading_order(chosen: Vec<Sentence>) -> Vec<SourceSentence> {
    let mut documents: Vec<String> = Vec::new();
    for sentence in &chosen {
        if !documents.contains(&sentence.source.document) {
            documents.push(sentence.source.document.clone());
        }
    }
    let mut sources: Vec<SourceSentence> = chosen.into_iter().map(|sentence| sentence.source).collect();
    sources.sort_by_key(|source| {
        (documents.iter().position(|document| *document == source.document), source.start, source.end)
    });
    sources
}

/// The sentences of a text with their places in Unicode scalar values. One that is longer than [`QUOTE_CHARACTERS`]
/// gives several pieces that overlap, each from behind one mark between clauses up to another, so that what stands
/// together can be quoted together.
pub fn quotable(unit: &str) -> Vec<(u64, u64, &str)> {
    let mut sentences = Vec::new();
    let mut character = 0_u64;
    let mut byte = 0;
    for range in language::sentences(unit) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Id, Ids, TextUnit};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn quotes_stand_where_they_say(text in "([a-z一二三 ]{0,300}[.。!;，\n]){0,12}") {
            let characters: Vec<char> = text.chars().collect();
            for (start, end, quote) in quotable(&text) {
                let (start, end) = (usize::try_from(start).unwrap(), usize::try_from(end).unwrap());
                prop_assert_eq!(characters[start..end].iter().collect::<String>(), quote);
                prop_assert!(quote.chars().count() <= QUOTE_CHARACTERS);
            }
        }
    }

    fn unit(text: &str) -> StoredUnit {
        let ids = Ids::new("w");
        let document_id: Id = ids.document("a.txt");
        StoredUnit {
            unit: TextUnit {
                id: ids.text_unit(&document_id, text, 0),
                document_id,
                index: 0,
                text: text.to_owned(),
                token_count: 1,
                start_offset: 0,
                end_offset: text.chars().count() as u64,
                headings: Vec::new(),
            },
            document_key: "a.txt".to_owned(),
            document_title: "A".to_owned(),
            state: crate::domain::UnitState::default(),
        }
    }

    fn entity(name: &str) -> crate::domain::Entity {
        crate::domain::Entity { name: name.to_owned(), ..crate::domain::Entity::default() }
    }

    #[test]
    fn sentences_that_answer_come_first() {
        let check = |text: &str, question: &str, names: &[&str], wanted: &str| {
            let named: Vec<_> = names.iter().map(|name| entity(name)).collect();
            let unit = unit(text);
            let question = Question::read(question, &named);
            let best = best_sentences(&question, &[(&unit, 1.0)]);
            assert!(best[0].source.text.contains(wanted), "{:#?}", best.iter().take(3).collect::<Vec<_>>());
        };
        let carol = "Bob Cratchit said nothing at all. 'Where is Martha?' cried Bob Cratchit, looking round. \
                     It was the door of Scrooge's clerk, Bob Cratchit, that the Spirit stopped at. \
                     Scrooge went home. Scrooge lived in a gloomy suite of rooms up a yard. \
                     He had been dead seven years, Marley had. Marley was a sort of man who liked money.";
        check(carol, "Who is Bob Cratchit?", &["Bob Cratchit"], "clerk");
        check(carol, "Where did Scrooge live?", &["Scrooge"], "suite of rooms");
        check(carol, "How many years has Marley been dead?", &["Marley"], "seven years");
        let kingdoms = "刘备出马。刘备、关羽、张飞，虽然异姓，既结为兄弟，则同心协力。关羽大喜。曹操问其故。\
                        其人曰：某姓关名羽，字长生。张飞曰：吾颇有资财。";
        check(kingdoms, "刘备、关羽、张飞是什么关系？", &["刘备", "关羽", "张飞"], "结为兄弟");
        check(kingdoms, "关羽是谁？", &["关羽"], "姓关名羽");
    }

    #[test]
    fn each_clause_of_a_question_is_answered() {
        let carol = "Bob Cratchit was the clerk of Scrooge. Scrooge lived in a gloomy suite of rooms up a yard. \
                     It happened that the fog came down. It happened to snow.";
        let question = Question::read(
            "Who is Bob Cratchit and where did Scrooge live?",
            &["Bob Cratchit", "Scrooge"].map(entity),
        );
        let unit = unit(carol);
        let (answer, _) = extractive(&question, &[(&unit, 1.0)]);
        assert!(answer.contains("clerk") && answer.contains("suite of rooms"), "{answer}");
    }

    #[test]
    fn nothing_is_said_where_nothing_is_known() {
        let question = Question::read("Who is Zanzibar?", &[]);
        let unit = unit("Bob went home.");
        let (answer, sources) = extractive(&question, &[(&unit, 1.0)]);
        assert!(answer.contains("nothing"));
        assert!(sources.is_empty());
    }
}
