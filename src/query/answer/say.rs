//! An answer by a model: streamed, its citations checked against what was shown, and resolved down to the sentence.

use super::{nothing_found, quotable};
use crate::domain::{Id, RecordKind, SourceSentence, StoredUnit};
use crate::language;
use crate::language::questions::stem;
use crate::llm::reply;
use crate::llm::{ChatModel, ChatReply, ChatRequest, Message, ModelError, ModelRole};
use crate::query::question::flatten;
use crate::query::retrieval::context::Context;
use crate::query::{Answer, Citation, QueryRequest, Turn};
use crate::tokens::Tokens;
use anyhow::Result;
use std::collections::BTreeSet;

/// Numbers of a kind that one citation keeps.
const CITED_AT_MOST: usize = 5;
/// Weight of the names that a sentence holds beside the words that it shares.
const NAMED: f64 = 1.0;
/// Bytes after which an open bracket is passed on as it is.
const LONGEST_BRACKET: usize = 1000;

/// Asks the model and hands its reply on with checked citations. The whole checked reply is in `answer.answer`.
///
/// # Errors
/// What the model says.
pub async fn stream(
    model: &dyn ChatModel,
    task: &'static str,
    messages: Vec<Message>,
    known: &(dyn Fn(RecordKind, u32) -> bool + Sync),
    answer: &mut Answer,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<()> {
    let mut checker = Checker { known, pending: String::new(), checked: String::new(), removed: 0 };
    let reply = {
        let mut pass_on = |piece: &str| {
            let ready = checker.push(piece);
            if !ready.is_empty() {
                on_text(&ready);
            }
        };
        model.chat_streaming(&ChatRequest::new(ModelRole::Answer, task, messages), &mut pass_on).await?
    };
    let rest = checker.finish();
    if !rest.is_empty() {
        on_text(&rest);
    }
    answer.spent(reply.usage);
    answer.answer = checker.checked;
    answer.citations_removed += checker.removed;
    Ok(())
}

/// Asks the model from a context, which is halved as long as the model says that the whole is too long.
///
/// # Errors
/// What the model says.
pub(in crate::query) async fn ask(
    model: &dyn ChatModel,
    task: &'static str,
    context: &mut Context,
    messages: impl Fn(&Context) -> Result<Vec<Message>> + Send,
) -> Result<ChatReply> {
    loop {
        match model.chat(&ChatRequest::new(ModelRole::Answer, task, messages(context)?)).await {
            Err(ModelError::TooLong { .. }) if context.halve() => {}
            reply => return Ok(reply?),
        }
    }
}

/// Asks the model of a text, of which ever less is shown as long as the model says that the whole is too long.
///
/// # Errors
/// What the model says.
pub(in crate::query) async fn ask_of_text(
    model: &dyn ChatModel,
    task: &'static str,
    text: &str,
    (tokens, budget_tokens): (Tokens, usize),
    messages: impl Fn(&str) -> Result<Vec<Message>> + Send,
) -> Result<ChatReply> {
    let mut shown = tokens.truncate(text, budget_tokens);
    loop {
        match model.chat(&ChatRequest::new(ModelRole::Answer, task, messages(shown)?)).await {
            Err(ModelError::TooLong { .. }) if tokens.count(shown) > 1 => {
                shown = tokens.truncate(shown, tokens.count(shown) / 2);
            }
            reply => return Ok(reply?),
        }
    }
}

/// Makes one answer of several texts, the best first: of as many as fit the budget, and of ever fewer as long as the
/// model says that the whole is too long. What they cite may be cited. False, and the sentence that nothing was found,
/// where not even the first fits.
///
/// # Errors
/// What the model says.
pub(in crate::query) async fn reduce(
    (model, task): (&dyn ChatModel, &'static str),
    request: &QueryRequest,
    texts: &[String],
    (tokens, budget_tokens): (Tokens, usize),
    messages: impl Fn(&str) -> Result<Vec<Message>> + Send,
    answer: &mut Answer,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<bool> {
    let mut shown = fitting(texts, tokens, budget_tokens);
    while !shown.is_empty() {
        let text = shown.concat();
        let cited: BTreeSet<(RecordKind, u32)> = reply::find_citations(&text)
            .into_iter()
            .flat_map(|group| group.numbers.into_iter().map(move |number| (group.kind, number)))
            .collect();
        let known = |kind, number| cited.contains(&(kind, number));
        match stream(model, task, messages(&text)?, &known, answer, on_text).await {
            Err(error) if is_too_long(&error) && shown.len() > 1 => {
                let half = fitting(shown, tokens, tokens.count(&text) / 2).len().max(1);
                shown = shown.get(..half).unwrap_or_default();
            }
            said => return said.map(|()| true),
        }
    }
    nothing_found(language::language_of(&request.question)).clone_into(&mut answer.answer);
    on_text(&answer.answer);
    Ok(false)
}

/// The first of some texts that fit a budget: nothing stands in for one that would fit.
fn fitting(texts: &[String], tokens: Tokens, budget_tokens: usize) -> &[String] {
    let mut used = 0;
    let count = texts.iter().take_while(|text| {
        used += tokens.count(text);
        used <= budget_tokens
    });
    texts.get(..count.count()).unwrap_or_default()
}

/// Whether an answer failed because the model was shown too much at once.
pub(in crate::query) fn is_too_long(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(ModelError::TooLong { .. }))
}

/// A text with citations of unknown records taken out and long lists cut to five with `+more`; and how many numbers
/// were unknown.
pub fn check_citations(text: &str, known: &dyn Fn(RecordKind, u32) -> bool) -> (String, u64) {
    let mut removed = 0;
    let clean = reply::rewrite(text, |kind, number| {
        if known(kind, number) {
            Some(number.to_string())
        } else {
            removed += 1;
            None
        }
    });
    let mut result = String::with_capacity(clean.len());
    let mut done = 0;
    let groups = reply::find_citations(&clean);
    for bracket in groups.chunk_by(|a, b| a.range == b.range) {
        let Some(range) = bracket.first().map(|group| group.range.clone()) else { continue };
        result.push_str(clean.get(done..range.start).unwrap_or_default());
        done = range.end;
        let shown: Vec<String> = bracket
            .iter()
            .map(|group| {
                let mut numbers: Vec<String> =
                    group.numbers.iter().take(CITED_AT_MOST).map(ToString::to_string).collect();
                if group.more || group.numbers.len() > CITED_AT_MOST {
                    numbers.push("+more".to_owned());
                }
                format!("{} ({})", reply::kind_title(group.kind), numbers.join(", "))
            })
            .collect();
        result.extend([format!("[Data: {}]", shown.join(", "))]);
    }
    result.push_str(clean.get(done..).unwrap_or_default());
    (result, removed)
}

/// Checks a reply as it comes: what may still become a citation is held back until it has closed.
struct Checker<'a> {
    known: &'a (dyn Fn(RecordKind, u32) -> bool + Sync),
    pending: String,
    checked: String,
    removed: u64,
}

impl Checker<'_> {
    fn push(&mut self, piece: &str) -> String {
        self.pending.push_str(piece);
        let open = self.pending.rfind(['[', '【', '［', '〔']).filter(|at| {
            let rest = self.pending.get(*at..).unwrap_or_default();
            !rest.contains([']', '】', '］', '〕']) && rest.len() < LONGEST_BRACKET
        });
        // white space before a citation goes with it
        let end = self.pending.get(..open.unwrap_or(self.pending.len())).unwrap_or_default().trim_end().len();
        let held = self.pending.split_off(end);
        let ready = std::mem::replace(&mut self.pending, held);
        self.check(&ready)
    }

    fn finish(&mut self) -> String {
        let rest = std::mem::take(&mut self.pending);
        self.check(rest.trim_end())
    }

    fn check(&mut self, text: &str) -> String {
        let (checked, removed) = check_citations(text, self.known);
        self.removed += removed;
        self.checked.push_str(&checked);
        checked
    }
}

/// What the citations of a checked text name, in the order of the text, where a record stands for several passages,
/// each a text unit cut to what counts: the sentence that shares most with the one that cites it.
pub(in crate::query) fn resolve_in<'a>(
    text: &str,
    context: &Context,
    passages_of: &dyn Fn(&Id) -> &'a [StoredUnit],
) -> Vec<Citation> {
    let mut citations: Vec<Citation> = Vec::new();
    for group in reply::find_citations(text) {
        let claim = sentence_before(text, group.range.start);
        for &number in &group.numbers {
            let Some(item) = usize::try_from(number)
                .ok()
                .and_then(|number| context.of(group.kind).find(|item| item.number == number))
            else {
                continue;
            };
            let passages: Vec<&StoredUnit> = passages_of(&item.record.id).iter().collect();
            let sentence = best_sentence(claim, &passages, &[]);
            let of_sentence =
                |unit: &&&StoredUnit| sentence.as_ref().is_some_and(|s| s.text_unit_id == unit.unit.id);
            let unit = passages.iter().find(of_sentence).or(passages.first());
            let known = citations.iter().any(|known| {
                known.kind == group.kind && known.number == item.number && known.sentence == sentence
            });
            if !known {
                citations.push(Citation {
                    kind: group.kind,
                    number: item.number,
                    id: item.record.id.clone(),
                    name: item.record.name.clone(),
                    headings: unit.map(|unit| unit.unit.headings.clone()).unwrap_or_default(),
                    sentence,
                });
            }
        }
    }
    citations
}

/// The sentence of an answer that ends at `end`, earlier citations left out.
pub(in crate::query) fn sentence_before(text: &str, end: usize) -> &str {
    let before = text.get(..end).unwrap_or_default();
    let floor = before.rfind(']').map_or(0, |at| at + 1);
    let before = before.get(floor..).unwrap_or_default();
    let stripped = before.trim_end().trim_end_matches(['.', '。', '!', '！', '?', '？', '"', '”']);
    let start = stripped.rfind(['.', '。', '!', '！', '?', '？', '\n']).map_or(0, |at| {
        at + stripped.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
    });
    let sentence = before.get(start..).unwrap_or_default();
    if language::words(sentence).is_empty() { before } else { sentence }
}

/// A sentence with its first character and one behind its last.
type Quote<'a> = (u64, u64, &'a str);

/// The sentence of some units that shares most with a claim and holds most of the names, each given by its
/// spellings in lower case; the first where none shares anything.
pub(in crate::query) fn best_sentence(
    claim: &str,
    units: &[&StoredUnit],
    names: &[Vec<String>],
) -> Option<SourceSentence> {
    let stems = |text: &str| -> BTreeSet<String> {
        language::words(&flatten(text))
            .iter()
            .filter(|word| !language::is_stop_word(word))
            .map(|word| stem(word))
            .collect()
    };
    let wanted = stems(claim);
    let sentences: Vec<(&StoredUnit, Quote<'_>, BTreeSet<String>)> = units
        .iter()
        .flat_map(|unit| quotable(&unit.unit.text).into_iter().map(|quote| (*unit, quote, stems(quote.2))))
        .collect();
    let rarity = |word: &String| {
        let held = sentences.iter().filter(|(_, _, words)| words.contains(word)).count() as f64;
        (1.0 + sentences.len() as f64 / (1.0 + held)).ln()
    };
    let weights: Vec<(&String, f64)> = wanted.iter().map(|word| (word, rarity(word))).collect();
    let mut best: Option<(f64, &StoredUnit, Quote<'_>)> = None;
    for (unit, quote, words) in &sentences {
        let shared: f64 =
            weights.iter().filter(|(word, _)| words.contains(*word)).map(|(_, weight)| weight).sum();
        let flat = flatten(quote.2);
        let held = names.iter().filter(|spellings| spellings.iter().any(|name| flat.contains(name.as_str())));
        let score = shared / (12.0 + words.len() as f64).sqrt()
            + NAMED * held.count() as f64 / names.len().max(1) as f64;
        if best.is_none_or(|(known, ..)| score > known) {
            best = Some((score, unit, *quote));
        }
    }
    let (_, unit, (start, end, text)) = best?;
    Some(SourceSentence {
        document: unit.document_key.clone(),
        text_unit_id: unit.unit.id.clone(),
        start: unit.unit.start_offset + start,
        end: unit.unit.start_offset + end,
        text: reply::without_citations(text).into_owned(),
    })
}

/// The conversation for a prompt: as many of the latest turns as fit the budget, oldest first.
pub fn history_lines(history: &[Turn], tokens: Tokens, budget_tokens: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut used = 0;
    for turn in history.iter().rev() {
        let pair = [format!("user: {}", turn.question), format!("assistant: {}", turn.answer)];
        let cost: usize = pair.iter().map(|line| tokens.count(line)).sum();
        if used + cost > budget_tokens {
            break;
        }
        used += cost;
        let [asked, answered] = pair;
        lines.push(answered);
        lines.push(asked);
    }
    lines.reverse();
    lines
}

/// What the answer should look like, in words for the model.
pub fn response_type(request: &QueryRequest) -> &str {
    if request.response_type.trim().is_empty() { "Multiple Paragraphs" } else { &request.response_type }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn known(kind: RecordKind, number: u32) -> bool {
        kind == RecordKind::Sources && number <= 8
    }

    #[test]
    fn unknown_numbers_go_and_long_lists_are_cut() {
        let check = |text: &str, expected: &str, removed: u64| {
            assert_eq!(check_citations(text, &known), (expected.to_owned(), removed));
        };
        check("He is a clerk [Data: Sources (1, 99)].", "He is a clerk [Data: Sources (1)].", 1);
        check("He is a clerk [Data: Reports (1)].", "He is a clerk.", 1);
        check("So [Data: Sources (1, 2, 3, 4, 5, 6)].", "So [Data: Sources (1, 2, 3, 4, 5, +more)].", 0);
        check("No citation [here].", "No citation [here].", 0);
    }

    proptest! {
        #[test]
        fn a_stream_is_checked_as_the_whole_is(cuts in proptest::collection::vec(0_usize..90, 0..8)) {
            let text = "A clerk [Data: Sources (1, 99)]. 他是[数据：来源（2）] so [x] and [Data: Reports (7)] [Data: Sources (3)].";
            let mut borders: Vec<usize> =
                cuts.into_iter().filter(|at| text.is_char_boundary(*at)).collect();
            borders.sort_unstable();
            let mut checker = Checker { known: &known, pending: String::new(), checked: String::new(), removed: 0 };
            let mut at = 0;
            for border in borders {
                checker.push(&text[at..border]);
                at = border;
            }
            checker.push(&text[at..]);
            checker.finish();
            prop_assert_eq!((checker.checked, checker.removed), check_citations(text, &known));
        }
    }

    #[test]
    fn the_latest_turns_stay() {
        let history: Vec<Turn> = (0..20)
            .map(|n| Turn { question: format!("question {n}"), answer: format!("answer {n}") })
            .collect();
        let lines = history_lines(&history, Tokens::O200kBase, 30);
        assert_eq!(lines.last().map(String::as_str), Some("assistant: answer 19"));
        assert!(lines.len() < 12);
    }

    #[test]
    fn the_citing_sentence_is_found() {
        let text = "First thing. He is a clerk. [Data: Sources (1)] 他们是兄弟[Data: Sources (2)]。";
        let groups = reply::find_citations(text);
        assert_eq!(sentence_before(text, groups[0].range.start).trim(), "He is a clerk.");
        assert_eq!(sentence_before(text, groups[1].range.start).trim(), "他们是兄弟");
    }
}
