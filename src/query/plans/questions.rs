//! A question to a form: its names are found in the graph and marked, then patterns are tried.

use super::form::{Ask, Condition, Form, Other, Role};
use super::patterns::{MOST_NAMES, PatternMatch, chinese, english, marked, name_mark};
use super::{nouns, wording};
use crate::domain::{Entity, FiscalCalendar, Ids};
use crate::language::dates::date_of;
use crate::language::is_stop_word;
use crate::language::words::is_han;
use crate::query::question::names::named_at;
use crate::stores::graph::GraphReader;
use anyhow::Result;
use std::ops::Range;

/// Letters of the longest abbreviation of an office.
const OFFICE: usize = 4;
/// Characters of the longest question that patterns are tried on.
const LONGEST: usize = 400;

/// What a question asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct QuestionForm {
    /// What is asked for.
    pub form: Form,
    /// Whether it can hardly be meant otherwise.
    pub sure: bool,
}

/// Reads a question by patterns; nothing where it has none of their shapes.
///
/// # Errors
/// What the store says.
pub async fn read(
    reader: &dyn GraphReader,
    ids: &Ids,
    calendar: FiscalCalendar,
    question: &str,
) -> Result<Option<QuestionForm>> {
    if question.chars().count() > LONGEST {
        return Ok(None);
    }
    let spans: Vec<(Range<usize>, Entity)> = named_at(reader, ids, question)
        .await?
        .into_iter()
        .filter(|(span, entity)| {
            question.get(span.clone()).is_some_and(|written| {
                is_name(written, question, calendar)
                    || is_lower_name(written, span, &entity.name, question)
                    || is_name_without_capitals(written, &entity.name, question)
            })
        })
        .take(MOST_NAMES)
        .collect();
    Ok(read_marked(question, &spans.into_iter().map(|(span, _)| span).collect::<Vec<_>>()))
}

/// Whether what an entity is called by is meant as a name in a question: English ones have a capital.
pub(super) fn is_name(written: &str, question: &str, calendar: FiscalCalendar) -> bool {
    let first = question.trim_start().starts_with(written);
    if date_of(written, calendar).is_some() || written.chars().all(|c| c.is_ascii_digit()) {
        return false;
    }
    if written.chars().any(is_han) {
        const ASKING: [char; 10] = ['谁', '哪', '多', '几', '什', '么', '有', '被', '最', '的'];
        return !nouns::is_known(written)
            && !written.chars().any(|c| ASKING.contains(&c))
            && !wording::is_relation(written);
    }
    let capital = written.chars().any(char::is_uppercase);
    let word = written.to_lowercase();
    // an office in capitals, CEO, is a relation
    if written.len() <= OFFICE
        && written.chars().all(char::is_uppercase)
        && wording::Wording::read(&word).is_known()
    {
        return false;
    }
    capital && !(first && (nouns::is_known(&word) || is_opening(&word)))
}

/// Whether a word without a capital is meant as the name that the graph writes so: it ends the question behind a
/// preposition, "is CEO of insitro".
fn is_lower_name(written: &str, span: &Range<usize>, name: &str, question: &str) -> bool {
    const PREPOSITIONS: [&str; 9] = ["of", "at", "by", "for", "from", "in", "with", "to", "into"];
    let before = question.get(..span.start).unwrap_or_default();
    let behind = question.get(span.end..).unwrap_or_default();
    written == name
        && written.is_ascii()
        && written.chars().any(char::is_alphabetic)
        && !written.contains(' ')
        && !nouns::is_known(written)
        && !is_stop_word(written)
        && behind.trim_matches(['?', '.', '!', ' ']).is_empty()
        && before.split_whitespace().last().is_some_and(|word| PREPOSITIONS.contains(&word))
}

/// Whether a name that has a capital in the graph is meant in a question that has none at all.
fn is_name_without_capitals(written: &str, name: &str, question: &str) -> bool {
    !question.trim_start().chars().skip(1).any(char::is_uppercase)
        && written.is_ascii()
        && name.chars().any(char::is_uppercase)
        && written.chars().any(char::is_alphabetic)
        && written.split(' ').any(|word| {
            !is_stop_word(word)
                && !nouns::is_known(word)
                && !is_opening(word)
                && !wording::Wording::read(word).is_known()
        })
}

fn is_opening(word: &str) -> bool {
    ["who", "whom", "which", "what", "how", "list", "name", "in", "when", "show", "count", "all"]
        .contains(&word)
}

/// Reads a question whose names stand at these bytes.
pub(super) fn read_marked(question: &str, spans: &[Range<usize>]) -> Option<QuestionForm> {
    let (mut marked, mut done) = (String::new(), 0);
    let mut names: Vec<String> = Vec::new();
    for span in spans {
        marked.push_str(&question.get(done..span.start)?.to_lowercase());
        marked.push(name_mark(names.len()));
        names.push(question.get(span.clone())?.to_owned());
        done = span.end;
    }
    marked.push_str(&question.get(done..)?.to_lowercase());
    let marked = marked.replace(['“', '”', '"', '《', '》', '「', '」'], "").replace("’s ", "'s ");
    let han = marked.chars().any(is_han);
    let found = if han { chinese::read(&marked) } else { english::read(&marked) };
    let PatternMatch { mut form, sure } = found?;
    form.thing = unmarked(&form.thing, &names);
    unmark(&mut form.conditions, &names);
    if let Some(ranking) = &mut form.ranking {
        ranking.wording = unmarked(&ranking.wording, &names);
        ranking.thing = unmarked(&ranking.thing, &names);
    }
    let sure = sure && !asks_for_a_figure(&form);
    form.is_bounded().then_some(QuestionForm { form, sure })
}

/// Whether a question counts what somebody has by a word that a text counts by, "how many members does N have": a sentence
/// that says the figure answers that, and rows would be those that were named.
pub fn asks_for_a_figure(form: &Form) -> bool {
    const RELATED: [&str; 9] =
        ["relat", "connect", "link", "associat", "tie", "involv", "关", "联系", "相连"];
    let [condition] = form.conditions.as_slice() else { return false };
    let meaning = nouns::read(&form.thing, &[]);
    form.ask == Ask::Count
        && matches!(condition.row, Role::Subject | Role::Object | Role::Either)
        && (meaning.taken.is_some() || meaning.described.is_some())
        && wording::says_nothing(&condition.wording)
        && !RELATED.iter().any(|word| condition.wording.to_lowercase().contains(word))
}

fn unmark(conditions: &mut [Condition], names: &[String]) {
    for condition in conditions {
        condition.wording = unmarked(&condition.wording, names);
        if let Some(time) = &mut condition.time {
            time.date = unmarked(&time.date, names);
        }
        let Other { names: others, thing, conditions: further } = &mut condition.others;
        for name in others.iter_mut().chain(&mut condition.third) {
            *name = unmarked(name, names);
        }
        *thing = unmarked(thing, names);
        unmark(further, names);
    }
}

fn unmarked(text: &str, names: &[String]) -> String {
    let mut out = String::new();
    for character in text.chars() {
        match marked(character).and_then(|place| names.get(place)) {
            Some(name) => out.push_str(name),
            None => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_has_so_many_of_is_told_by_a_sentence() {
        let name = |question: &str| {
            let at = question.find("Acme").expect("a name");
            read_marked(question, std::slice::from_ref(&(at..at + 4))).map(|asked| asked.sure)
        };
        assert_eq!(name("How many employees does Acme have?"), Some(false));
        assert_eq!(name("How many members does Acme have?"), Some(false));
        assert_eq!(name("How many companies has Acme acquired?"), Some(true));
        assert_eq!(name("How many people are related to Acme?"), Some(true));
    }

    #[test]
    fn names_come_back_where_they_stood() {
        let question = "Which companies did Microsoft buy?";
        let at = question.find("Microsoft").unwrap();
        let asked = read_marked(question, std::slice::from_ref(&(at..at + "Microsoft".len()))).unwrap();
        assert_eq!(asked.form.conditions[0].others.names, ["Microsoft"]);
        assert!(asked.sure);
        assert_eq!(read_marked("Tell me a story.", &[]), None);
    }

    #[test]
    fn nouns_and_dates_are_no_names() {
        let calendar = FiscalCalendar::default();
        assert!(is_name("Azure", "Which calls mention Azure?", calendar));
        assert!(!is_name("Companies", "Companies that Azure bought", calendar));
        assert!(
            !is_name("CEO", "Who is the CEO of Azure?", calendar)
                && is_name("GE", "Who bought GE?", calendar)
        );
        assert!(!is_name("FY16Q2", "in FY16Q2", calendar) && !is_name("2016", "in 2016", calendar));
        let question = "Which companies did tarnwick foundry acquire";
        assert!(is_name_without_capitals("tarnwick foundry", "Tarnwick Foundry", question));
        assert!(!is_name_without_capitals("companies", "Companies", question));
        assert!(!is_lower_name("2012", &(12..16), "2012", "who left in 2012?"));
        assert!(
            is_name("陈子昂", "陈子昂和李慕白是什么关系", calendar)
                && !is_name("首席执行官", "谁是首席执行官", calendar)
        );
        assert!(is_name("曹操", "曹操杀了谁", calendar) && !is_name("将领", "哪些将领", calendar));
    }
}
