//! An answer as people read it: its citations numbered in the order in which they appear, and below it each passage
//! once, with where it stands.

use super::numbering::{PlaceNumbering, brackets};
use super::{Answer, Citation, Mark};
use crate::domain::{Document, Period, RecordKind, SourceSentence};
use crate::language::chats::is_stamped;
use crate::language::{self, Language, is_line_break, one_line, unbroken};
use crate::llm::reply::find_citations;
use crate::stores::graph::GraphReader;
use anyhow::Result;
use std::collections::BTreeMap;

/// Metadata that says when a document was written, the first that is there.
const DATES: [&str; 4] = ["date", "published", "created", "year"];

/// An answer to be printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// The answer, its citations as `[1]`.
    pub text: String,
    /// What the numbers stand for.
    pub passages: Vec<CitedPassage>,
    /// The numbers of each passage: its place, from 1; of an answer that was printed as it came, all that lead to it.
    pub numbers: Vec<Vec<usize>>,
    /// The language of the labels: that of the answer.
    pub language: Language,
}

/// A passage that an answer cites.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CitedPassage {
    /// The sentence; none where only a record is known.
    pub sentence: Option<SourceSentence>,
    /// Headings above the passage, outermost first.
    pub headings: Vec<String>,
    /// The line of its first character, from 1, where the document can be looked at.
    pub line: Option<usize>,
    /// When its document was written, as that says.
    pub date: Option<String>,
    /// The record, where no sentence of it is known: kind and name.
    pub record: Option<(RecordKind, String)>,
}

/// Makes an answer ready for print. `line_of` tells the line that a sentence begins in, where it can.
///
/// # Errors
/// What the store says.
pub async fn printed(
    reader: &dyn GraphReader,
    documents: &BTreeMap<String, crate::domain::Id>,
    answer: &Answer,
    as_it_came: bool,
    line_of: &(dyn Fn(&SourceSentence) -> Option<usize> + Sync),
) -> Result<Printed> {
    let ids: Vec<_> = documents.values().cloned().collect();
    let stored = if ids.is_empty() { Vec::new() } else { reader.documents_by_id(&ids).await? };
    let known: BTreeMap<String, Document> =
        stored.into_iter().map(|document| (document.key.clone(), document)).collect();
    let number = if as_it_came { numbered_as_it_came } else { numbered };
    Ok(number(answer, &|sentence: &SourceSentence| {
        let metadata = known.get(&sentence.document).map(|document| &document.metadata);
        let date = metadata.and_then(|metadata| DATES.iter().find_map(|name| metadata.get(*name)));
        let date = date.map(|date| one_line(date)).filter(|date| !date.is_empty());
        (line_of(sentence), sentence.date.as_ref().map(Period::label).or(date))
    }))
}

/// The sentences behind the numbers that [`printed`] gives; of a number for several the first.
pub fn numbered_sentences(printed: &Printed) -> Vec<(usize, SourceSentence)> {
    let mut found: BTreeMap<usize, SourceSentence> = BTreeMap::new();
    for (passage, numbers) in printed.passages.iter().zip(&printed.numbers) {
        for number in numbers {
            if let Some(sentence) = &passage.sentence {
                found.entry(*number).or_insert_with(|| sentence.clone());
            }
        }
    }
    found.into_iter().collect()
}

/// What a sentence's document tells: the line it begins in, and its date.
type Known<'a> = &'a dyn Fn(&SourceSentence) -> (Option<usize>, Option<String>);

/// An answer that was printed as it came: each place has numbers of its own, and a passage stands behind all that lead to it.
fn numbered_as_it_came(answer: &Answer, known: Known<'_>) -> Printed {
    let text = PlaceNumbering::default().piece(&answer.answer);
    let language = language_of(answer);
    let mut printed = Printed { text, passages: Vec::new(), numbers: Vec::new(), language };
    let marks = marks(answer);
    let mut counting = PlaceNumbering::default();
    for (range, records) in brackets(&answer.answer) {
        let mark = marks.iter().find(|mark| mark.start == range.start);
        for (kind, number) in records {
            let given = counting.number();
            // a record may prove each clause by a sentence of its own
            let places = mark.map_or(&[][..], |mark| mark.citations.as_slice()).iter();
            let citations = places.filter_map(|place| answer.citations.get(*place));
            for citation in citations.filter(|c| (c.kind, c.number) == (kind, number)) {
                printed.add(passage(citation, known), Some(given));
            }
        }
    }
    // what an answer rests on without citing it
    for citation in answer.citations.iter().filter(|_| marks.is_empty()) {
        printed.add(passage(citation, known), None);
    }
    printed
}

impl Printed {
    /// Adds a number to a passage, which may be new.
    fn add(&mut self, passage: CitedPassage, number: Option<usize>) {
        if let Some(place) = self.passages.iter().position(|other| other.is_same(&passage)) {
            if let Some(numbers) = self.numbers.get_mut(place) {
                numbers.extend(number);
            }
        } else {
            self.passages.push(passage);
            self.numbers.push(number.into_iter().collect());
        }
    }
}

/// The language of an answer; quotations of another one do not make it that.
fn language_of(answer: &Answer) -> Language {
    if is_said_in_chinese(&answer.answer) {
        return Language::Chinese;
    }
    let han = answer.answer.chars().filter(|c| language::words::is_han(*c)).count();
    match language::language_of(&answer.answer) {
        Language::Chinese if han * 2 < answer.answer.chars().filter(|c| c.is_alphabetic()).count() => {
            Language::English
        }
        told => told,
    }
}

/// Whether an answer begins in Chinese, whatever it quotes or lists then: names in Latin letters make its first line no
/// English one, but for words that no name is made of.
fn is_said_in_chinese(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let mut quoted = false;
    let told: String = first
        .chars()
        .map(|c| {
            quoted = c == '“' || quoted && c != '”';
            if quoted { ' ' } else { c }
        })
        .collect();
    let latin = |c: char| !c.is_ascii_alphabetic();
    told.chars().filter(|c| language::words::is_han(*c)).count() > 1
        && !told.split(latin).any(|word| word.len() > 1 && language::is_stop_word(&word.to_lowercase()))
}

/// Keys of the documents that an answer cites.
pub fn cited_documents(answer: &Answer) -> impl Iterator<Item = &str> {
    answer.citations.iter().filter_map(|citation| citation.sentence.as_ref()).map(|s| s.document.as_str())
}

fn numbered(answer: &Answer, known: Known<'_>) -> Printed {
    let language = language_of(answer);
    let mut printed = Printed { text: String::new(), passages: Vec::new(), numbers: Vec::new(), language };
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    let mut done = 0;
    let marks = marks(answer);
    for mark in &marks {
        let before = answer.answer.get(done..mark.start).unwrap_or_default();
        printed.text.push_str(before);
        done = mark.end;
        let mut shown: Vec<usize> = Vec::new();
        for place in &mark.citations {
            let Some(citation) = answer.citations.get(*place) else { continue };
            let number = *numbers.entry(*place).or_insert_with(|| {
                let passage = passage(citation, known);
                let same = |other: &CitedPassage| other.is_same(&passage);
                printed.passages.iter().position(same).unwrap_or_else(|| {
                    printed.passages.push(passage);
                    printed.passages.len() - 1
                }) + 1
            });
            if !shown.contains(&number) {
                shown.push(number);
            }
        }
        shown.sort_unstable();
        if shown.is_empty() {
            printed.text.truncate(printed.text.trim_end_matches(' ').len());
        }
        printed.text.extend(shown.iter().map(|number| format!("[{number}]")));
    }
    printed.text.push_str(answer.answer.get(done..).unwrap_or_default());
    // what an answer rests on without citing it
    for citation in &answer.citations {
        let passage = passage(citation, known);
        if marks.is_empty() && !printed.passages.iter().any(|other| other.is_same(&passage)) {
            printed.passages.push(passage);
        }
    }
    printed.numbers = (1..=printed.passages.len()).map(|number| vec![number]).collect();
    printed
}

/// Where an answer cites what; where that was not noted, by its brackets and the numbers of its citations.
fn marks(answer: &Answer) -> Vec<Mark> {
    if !answer.marks.is_empty() {
        return answer.marks.clone();
    }
    let mut used: BTreeMap<(RecordKind, usize), usize> = BTreeMap::new();
    let mut marks: Vec<Mark> = Vec::new();
    for group in find_citations(&answer.answer) {
        for number in group.numbers.iter().filter_map(|number| usize::try_from(*number).ok()) {
            let places: Vec<usize> = (0..answer.citations.len())
                .filter(|place| {
                    answer.citations.get(*place).is_some_and(|c| (c.kind, c.number) == (group.kind, number))
                })
                .collect();
            let times = used.entry((group.kind, number)).or_default();
            let place = places.get(*times).or(places.last()).copied();
            *times += 1;
            match marks.last_mut().filter(|mark| mark.start == group.range.start) {
                Some(mark) => mark.citations.extend(place),
                None => marks.push(Mark {
                    start: group.range.start,
                    end: group.range.end,
                    citations: place.into_iter().collect(),
                }),
            }
        }
    }
    marks
}

fn passage(citation: &Citation, known: Known<'_>) -> CitedPassage {
    let Some(sentence) = &citation.sentence else {
        return CitedPassage {
            record: Some((citation.kind, citation.name.clone())),
            ..CitedPassage::default()
        };
    };
    let (line, date) = known(sentence);
    CitedPassage {
        sentence: Some(sentence.clone()),
        headings: citation.headings.clone(),
        line,
        date,
        record: None,
    }
}

impl CitedPassage {
    fn is_same(&self, other: &Self) -> bool {
        let place = |passage: &Self| passage.sentence.as_ref().map(|s| (s.document.clone(), s.start, s.end));
        place(self) == place(other) && self.record == other.record
    }

    /// The passage in a line, labels in a language: `docs/call.txt › Results, line 12, 2023-10-24: “Revenue was …”`.
    pub fn line_in(&self, language: Language) -> String {
        let chinese = language == Language::Chinese;
        if let Some((kind, name)) = &self.record {
            return format!("{}{}{name}", record_label(*kind, chinese), if chinese { "：" } else { ": " });
        }
        let Some(sentence) = &self.sentence else { return String::new() };
        let mut line = sentence.document.replace(is_line_break, " ");
        if let Some(place) = sentence.place() {
            line.extend([if chinese { "，" } else { ", " }.to_owned(), place]);
        }
        line.extend(self.headings.iter().flat_map(|heading| [" › ", heading.as_str()]));
        let (comma, colon) = if chinese { ("，", "：") } else { (", ", ": ") };
        let place = match (self.line, chinese) {
            _ if sentence.locator.is_some() => String::new(),
            (Some(number), true) => format!("第 {number} 行"),
            (Some(number), false) => format!("line {number}"),
            (None, true) => format!("第 {}–{} 字", sentence.start, sentence.end),
            (None, false) => format!("characters {}–{}", sentence.start, sentence.end),
        };
        if !place.is_empty() {
            line.extend([comma, place.as_str()]);
        }
        // a heading or the name of the file may tell the day already, and a message of a chat has its own
        let is_told = |date: &str| line.contains(date) || is_stamped(&sentence.text);
        if let Some(date) = self.date.as_deref().filter(|date| !is_told(date)) {
            line.extend([comma, date]);
        }
        format!("{line}{colon}“{}”", unbroken(&sentence.text))
    }
}

fn record_label(kind: RecordKind, chinese: bool) -> &'static str {
    match (kind, chinese) {
        (RecordKind::Sources, true) => "来源",
        (RecordKind::Reports, true) => "报告",
        (RecordKind::Entities, true) => "实体",
        (RecordKind::Relationships, true) => "关系",
        (RecordKind::Claims, true) => "主张",
        (RecordKind::Answers, true) => "标准答案",
        (RecordKind::Sources, false) => "source",
        (RecordKind::Reports, false) => "report",
        (RecordKind::Entities, false) => "entity",
        (RecordKind::Relationships, false) => "relationship",
        (RecordKind::Claims, false) => "claim",
        (RecordKind::Answers, false) => "standard answer",
    }
}

/// What stands above the passages.
pub fn sources_label(language: Language) -> &'static str {
    if language == Language::Chinese { "来源：" } else { "Sources:" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Id;

    #[test]
    fn labels_are_in_the_language_that_an_answer_begins_in() {
        let told = |text: &str| language_of(&Answer { answer: text.to_owned(), ..Answer::default() });
        for text in [
            "Microsoft 收购了 LinkedIn、GitHub、Activision Blizzard 和 Nuance Communications。",
            "没有找到答案，最接近的段落是：\nMicrosoft acquired LinkedIn in 2016, and GitHub after it.",
            "列出被Microsoft“收购”的公司：\n\n| LinkedIn Corporation | Organization |",
        ] {
            assert_eq!(told(text), Language::Chinese, "{text}");
        }
        for text in ["Cao Cao (曹操) was a warlord of the Han.", "He said “曹操杀了吕布” in the end."]
        {
            assert_eq!(told(text), Language::English, "{text}");
        }
    }

    fn citation(kind: RecordKind, number: usize, start: u64) -> Citation {
        Citation {
            kind,
            number,
            id: Id::from_stored("r"),
            name: "a record".to_owned(),
            headings: vec!["Results".to_owned()],
            sentence: (start > 0).then(|| SourceSentence {
                document: "call.txt".to_owned(),
                date: None,
                text_unit_id: Id::from_stored("u"),
                start,
                end: start + 9,
                locator: None,
                last_locator: None,
                text: format!("Sentence\nat {start}."),
            }),
        }
    }

    fn answer(text: &str, citations: Vec<Citation>, marks: &[&[usize]]) -> Answer {
        let mut groups = find_citations(text);
        groups.dedup_by(|a, b| a.range == b.range);
        let marks = groups.iter().zip(marks).map(|(group, citations)| Mark {
            start: group.range.start,
            end: group.range.end,
            citations: citations.to_vec(),
        });
        Answer { answer: text.to_owned(), marks: marks.collect(), citations, ..Answer::default() }
    }

    #[test]
    fn each_passage_has_one_number_in_the_order_of_the_text() {
        let citations = vec![
            citation(RecordKind::Sources, 3, 50),
            citation(RecordKind::Claims, 8, 20),
            citation(RecordKind::Entities, 1, 50),
            citation(RecordKind::Reports, 2, 0),
        ];
        let text = "Up [Data: Sources (3), Entities (1)]. Down [Data: Claims (8), Sources (3)], all [Data: Reports (2)].";
        let printed = numbered(&answer(text, citations, &[&[0, 2], &[1, 0], &[3]]), &|_| (Some(7), None));
        assert_eq!(printed.text, "Up [1]. Down [1][2], all [3].");
        let lines: Vec<String> =
            printed.passages.iter().map(|passage| passage.line_in(Language::English)).collect();
        assert_eq!(
            lines,
            [
                "call.txt › Results, line 7: “Sentence at 50.”",
                "call.txt › Results, line 7: “Sentence at 20.”",
                "report: a record"
            ]
        );
        assert!(printed.passages[0].line_in(Language::Chinese).contains("，第 7 行："));
    }

    #[test]
    fn a_passage_on_two_pages_is_cited_with_both() {
        use crate::domain::{Locator, LocatorKind};
        let mut cited = citation(RecordKind::Sources, 1, 5);
        if let Some(sentence) = &mut cited.sentence {
            sentence.locator = Some(Locator::new(LocatorKind::Page, 12));
            sentence.last_locator = Some(Locator::new(LocatorKind::Page, 13));
        }
        let printed = numbered(&answer("One. [Data: Sources (1)]", vec![cited], &[]), &|_| (None, None));
        let line = |language| printed.passages[0].line_in(language);
        assert_eq!(line(Language::English), "call.txt, pp. 12–13 › Results: “Sentence at 5.”");
        assert_eq!(line(Language::Chinese), "call.txt，pp. 12–13 › Results：“Sentence at 5.”");
    }

    #[test]
    fn a_passage_is_quoted_in_one_line_word_for_word() {
        let mut cited = citation(RecordKind::Sources, 1, 5);
        if let Some(sentence) = &mut cited.sentence {
            sentence.text = "| Adult |\n four pounds".into();
        }
        let printed = numbered(&answer("One. [Data: Sources (1)]", vec![cited], &[]), &|_| (Some(3), None));
        let shown = printed.passages[0].line_in(Language::English);
        assert!(shown.ends_with("line 3: “| Adult | four pounds”"), "{shown}");
    }

    #[test]
    fn what_was_printed_as_it_came_has_numbers_for_each_place() {
        let citations = vec![
            citation(RecordKind::Sources, 3, 50),
            citation(RecordKind::Claims, 8, 20),
            citation(RecordKind::Entities, 1, 50),
        ];
        let text = "Up [Data: Sources (3), Entities (1)]. Down [Data: Claims (8), Sources (3)].";
        let printed = numbered_as_it_came(&answer(text, citations, &[&[0, 2], &[1, 0]]), &|_| (None, None));
        assert_eq!(printed.text, "Up [1][2]. Down [3][4].");
        assert_eq!(printed.numbers, [vec![1, 2, 4], vec![3]]);
        let sentences = numbered_sentences(&printed);
        let starts: Vec<(usize, u64)> =
            sentences.iter().map(|(number, sentence)| (*number, sentence.start)).collect();
        assert_eq!(starts, [(1, 50), (2, 50), (3, 20), (4, 50)]);
    }

    #[test]
    fn without_marks_the_numbers_of_records_tell() {
        let citations = vec![citation(RecordKind::Sources, 1, 5), citation(RecordKind::Sources, 2, 30)];
        let text = "One. [Data: Sources (1)] Two. [Data: Sources (2)] One. [Data: Sources (1)]";
        let printed = numbered(&answer(text, citations, &[]), &|_| (None, Some("1843".to_owned())));
        assert_eq!(printed.text, "One. [1] Two. [2] One. [1]");
        let line = printed.passages[1].line_in(Language::English);
        assert_eq!(line, "call.txt › Results, characters 30–39, 1843: “Sentence at 30.”");
        let dated = CitedPassage { headings: vec!["1843".to_owned()], ..printed.passages[1].clone() };
        assert_eq!(dated.line_in(Language::English), "call.txt › 1843, characters 30–39: “Sentence at 30.”");
    }
}
