//! What an answer says where it cites: the statement behind which a citation stands.

use crate::domain::{Id, RecordKind};
use crate::language;
use crate::llm::reply::CitationGroup;
use crate::query::retrieval::context::{Context, Item};

/// Characters of a list behind a colon that still belong to what the citation before it stands for.
const LISTED: usize = 400;
/// Characters that end a sentence of an answer.
const STOPS: [char; 6] = ['.', '。', '!', '！', '?', '？'];

/// What a citation stands behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CitedStatement<'a> {
    /// The sentence that the citation ends.
    pub(super) sentence: &'a str,
    /// What stands before it in its paragraph, up to the citation before.
    pub(super) before: &'a str,
    /// What is listed behind it, where the sentence only announces a list.
    pub(super) listed: &'a str,
}

/// A cited record with the statement that cites it.
pub(super) type Cited<'a> = (RecordKind, &'a Id, CitedStatement<'a>);

impl<'a> CitedStatement<'a> {
    /// The statement of a citation of a text, given all its citations.
    pub(super) fn of(text: &'a str, group: &CitationGroup, all: &[CitationGroup]) -> Self {
        let floor = all.iter().map(|known| known.range.end).filter(|end| *end <= group.range.start).max();
        let mut before = text.get(floor.unwrap_or(0)..group.range.start).unwrap_or_default();
        if language::words(before).is_empty() {
            // a bracket behind another one stands for the same words
            let earlier = all.iter().filter(|known| known.range.end <= group.range.start).map(|k| &k.range);
            return match earlier.max_by_key(|range| range.end) {
                Some(range) => {
                    let same = all.iter().find(|known| known.range == *range);
                    same.map_or_else(Self::default, |same| Self::of(text, same, all))
                }
                None => Self::default(),
            };
        }
        let (head, last) = paragraph(before);
        before = if language::words(last).is_empty() { head } else { last };
        let (earlier, sentence) = last_sentence(before);
        Self { sentence, before: earlier, listed: listed(text, sentence, group, all) }
    }
}

/// One record that one place of a text cites.
pub(super) struct CitedRecord<'a> {
    pub(super) item: &'a Item,
    pub(super) group: &'a CitationGroup,
    pub(super) statement: CitedStatement<'a>,
}

/// Each cited record with the statement that cites it.
pub(super) fn cited_items<'a>(
    text: &'a str,
    groups: &'a [CitationGroup],
    context: &'a Context,
) -> Vec<CitedRecord<'a>> {
    let mut places = Vec::new();
    for group in groups {
        let statement = CitedStatement::of(text, group, groups);
        for number in group.numbers.iter().filter_map(|number| usize::try_from(*number).ok()) {
            let item = context.of(group.kind).find(|item| item.number == number);
            places.extend(item.map(|item| CitedRecord { item, group, statement }));
        }
    }
    places
}

/// A text in what stands before its last paragraph, and that paragraph.
fn paragraph(text: &str) -> (&str, &str) {
    let trimmed = text.trim_end();
    let at = ["\n\n", "\n- ", "\n* ", "\n#"].iter().filter_map(|border| trimmed.rfind(border)).max();
    text.split_at(at.unwrap_or(0))
}

/// A text in what stands before its last sentence, and that sentence.
fn last_sentence(text: &str) -> (&str, &str) {
    let stripped = text.trim_end().trim_end_matches(STOPS).trim_end_matches(['"', '”', '’', '」']);
    let stripped = stripped.trim_end_matches(STOPS);
    let mut cut = 0;
    for (at, character) in stripped.char_indices().filter(|(_, c)| STOPS.contains(c) || *c == '\n') {
        let end = at + character.len_utf8();
        // a point in a number or an abbreviation ends nothing
        let inside = character == '.'
            && stripped
                .get(end..)
                .and_then(|rest| rest.chars().next())
                .is_some_and(|c| !c.is_whitespace() && c != '*');
        if !inside {
            let closing = stripped.get(end..).unwrap_or_default();
            cut =
                end + closing.len() - closing.trim_start_matches(['*', '_', '"', '”', '’', '」', ')']).len();
        }
    }
    let (before, sentence) = text.split_at(cut);
    if language::words(sentence).is_empty() { ("", text) } else { (before, sentence) }
}

/// What follows a citation that stands before a colon, or whose sentence ends in one.
fn listed<'a>(text: &'a str, sentence: &str, group: &CitationGroup, all: &[CitationGroup]) -> &'a str {
    let rest = text.get(group.range.end..).unwrap_or_default();
    let open = rest.trim_start().starts_with([':', '：']) || sentence.trim_end().ends_with([':', '：']);
    if !open {
        return "";
    }
    let end = all.iter().map(|known| known.range.start).filter(|start| *start >= group.range.end).min();
    let rest = text.get(group.range.end..end.unwrap_or(text.len())).unwrap_or_default();
    let end = rest.char_indices().nth(LISTED).map_or(rest.len(), |(at, _)| at);
    rest.get(..end).unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::reply::find_citations;

    fn statements(text: &str) -> Vec<(String, String, String)> {
        let groups = find_citations(text);
        groups
            .iter()
            .map(|group| {
                let statement = CitedStatement::of(text, group, &groups);
                [statement.before, statement.sentence, statement.listed]
                    .map(|part| part.trim().to_owned())
                    .into()
            })
            .collect()
    }

    fn check(text: &str, expected: &[[&str; 3]]) {
        let expected: Vec<(String, String, String)> =
            expected.iter().map(|parts| parts.map(ToOwned::to_owned).into()).collect();
        assert_eq!(statements(text), expected, "{text}");
    }

    #[test]
    fn a_citation_stands_behind_its_sentence() {
        check("First thing. He is a clerk. [Data: Sources (1)]", &[["First thing.", "He is a clerk.", ""]]);
        check("他们是兄弟[Data: Sources (2)]。", &[["", "他们是兄弟", ""]]);
        check(
            "It rose 1.5 points to 48%. It fell [Data: Sources (1)].",
            &[["It rose 1.5 points to 48%.", "It fell", ""]],
        );
        check("**One.** It grew.\n\n**Two.** It fell [Data: Claims (1)].", &[["**Two.**", "It fell", ""]]);
    }

    #[test]
    fn it_reaches_back_to_the_citation_before() {
        check(
            "He came [Data: Sources (1)], she went [Data: Sources (2)] [Data: Claims (3)].",
            &[["", "He came", ""], ["", ", she went", ""], ["", ", she went", ""]],
        );
    }

    #[test]
    fn a_list_behind_a_colon_belongs_to_what_announces_it() {
        check(
            "孔明提出以下理由[Data: Sources (2)]：\n\n- 曹军远来疲惫[Data: Sources (3)]",
            &[["", "孔明提出以下理由", "：\n\n- 曹军远来疲惫"], ["", "- 曹军远来疲惫", ""]],
        );
    }
}
