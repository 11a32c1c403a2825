//! What is new, and what has changed: questions about one time against another, about how something went on, and about which
//! topics rise and fall, answered from the records of trends.

use crate::contradictions::Contradiction;
use crate::domain::{Day, Entity, Id, Period, RecordKind, SourceSentence, StoredUnit};
use crate::language::Language;
use crate::language::folding::fold;
use crate::prompts::AnswerFrom;
use crate::query::answer::synthesis::{RankedPassages, synthesize_from_passages};
use crate::query::answer::{Answer, Found, provenance};
use crate::query::question::{Question, names};
use crate::query::request::{Method, QueryRequest};
use crate::query::retrieval::context::{Context, ContextPart};
use crate::query::retrieval::sources::unit_candidate;
use crate::query::search::Search;
use crate::services::Services;
use crate::trends::{
    self, Change, ChangeKind, Compared, TimeReport, TopicChange, Trend, TrendKind, TrendRequest, Trends,
};
use anyhow::Result;
use std::collections::BTreeMap;
use std::time::Instant;

/// Entries of each list of the report.
const TOP: usize = 5;
/// Forms that ask what is new or other.
const FORMS: [&str; 20] = [
    "what disappeared",
    "what has disappeared",
    "what vanished",
    "what is no longer",
    "什么不再",
    "什么消失",
    "what is new",
    "what's new",
    "what’s new",
    "what changed",
    "what has changed",
    "what have changed",
    "what is different",
    "what's different",
    "what differs",
    "有什么变化",
    "有哪些变化",
    "有何变化",
    "有什么新",
    "有哪些新",
];
/// Words before a time that begins with it, and before one that it begins behind.
const SINCE: [&str; 4] = ["since", "from then", "以来", "自"];
const AFTER: [&str; 3] = ["after ", "之后", "以后"];
/// Those of them that ask so of one thing at any time; "what is different" may compare two.
const CHANGED: [&str; 6] =
    ["what changed", "what has changed", "what have changed", "有什么变化", "有哪些变化", "有何变化"];
/// Changes of one thing that are told at most, the latest ones.
const CHANGES: usize = 8;
/// What a question about topics says that they do.
const MOVES: [&str; 18] = [
    "rising",
    "growing",
    "trending",
    "emerging",
    "up and coming",
    "falling",
    "declining",
    "shrinking",
    "fading",
    "disappearing",
    "new topics",
    "上升",
    "增多",
    "热门",
    "新出现",
    "减少",
    "下降",
    "消失",
];
/// What such a question calls them.
const TOPICS: [&str; 8] = ["topic", "theme", "trends", "subjects", "话题", "主题", "趋势", "议题"];

/// The answer to a question what is new or other in a time; nothing where a question is another one, or the graph knows
/// no dates for it.
///
/// # Errors
/// What the stores and the model say.
pub(in crate::query) async fn answered(
    services: &Services,
    request: &QueryRequest,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<Option<Answer>> {
    let flat = fold(&request.question).to_lowercase();
    let holds = |forms: &[&str]| forms.iter().any(|form| flat.contains(form));
    let is_of_topics = asks_of_topics(&flat);
    let is_of_changes = holds(&FORMS) || how_it_changed(&flat).is_some() || since_when(&flat).is_some();
    if !is_of_changes && !is_of_topics {
        return Ok(None);
    }
    let search = &Search::open(services, request).await?;
    let named = names::named(search.reader.as_ref(), &services.ids, &request.question).await?;
    let question = Question::read(&request.question, &named, search.calendar());
    // "how did revenue change" asks for numbers, "how did Halvorsen change" for what is said of it
    let about = named.iter().find(|entity| is_about(&flat, entity)).or_else(|| named.first());
    let is_of_one = !question.is_quantity && about.is_some_and(|entity| is_about(&flat, entity));
    if !holds(&FORMS) && !is_of_topics && !is_of_one {
        return Ok(None);
    }
    let about = about.filter(|_| !is_of_topics).map(|entity| entity.name.clone());
    let Some(wanted) = wanted(&question, about) else { return Ok(None) };
    let begun = Instant::now();
    // a graph without dates, or a time without documents, is for the other searches
    let Ok(found) = trends::trends(services, &wanted, &request.progress()).await else { return Ok(None) };
    let is_chinese = question.language == Language::Chinese;
    let lists = if is_of_topics {
        of_topics(&found, is_chinese)
    } else if since_when(&flat).is_some() {
        since(&found, is_chinese)
    } else {
        of_changes(&found, &wanted, is_chinese)
    };
    let sources: Vec<&SourceSentence> =
        lists.iter().flat_map(|list| &list.lines).flat_map(|line| &line.sources).collect();
    if sources.is_empty() {
        return Ok(found.report.as_ref().map(|report| nothing_differs(request, report, is_chinese, on_text)));
    }
    let mut result = Answer { method: request.method, ..Answer::default() };
    let units = units(search, &sources).await?;
    let ranked: Vec<(Id, f64)> = ranked(&sources);
    let candidates = ranked.iter().filter_map(|(id, score)| unit_candidate(units.get(id)?, *score)).collect();
    let parts = vec![ContextPart { kind: RecordKind::Sources, share: 1.0, candidates }];
    result.context = Context::pack(parts, search.counting(), services.config.search.max_context_tokens);
    result.took("search", begun);
    if services.chat.is_some() {
        let passages =
            RankedPassages { from: AnswerFrom::Texts, question, ranked, units, by_words: Vec::new() };
        synthesize_from_passages(search, &passages, &mut result, on_text).await?;
        return Ok(Some(result));
    }
    result.answer = render(&lists, &result);
    on_text(&result.answer);
    provenance::resolve_answer(services, search.reader.as_ref(), &mut result).await?;
    Ok(Some(result))
}

/// Whether a search leaves such questions to this one.
pub(in crate::query) fn may_answer(method: Method) -> bool {
    matches!(method, Method::Auto | Method::Local | Method::Global)
}

/// One time against another, where the question says a time; all of it where it asks about one thing or about topics.
fn wanted(question: &Question, about: Option<String>) -> Option<TrendRequest> {
    let mut periods: Vec<Period> = question.periods.clone();
    periods.sort_by_key(|period| (period.from, period.to));
    let flat = question.text.to_lowercase();
    let holds = |forms: &[&str]| forms.iter().any(|form| flat.contains(form));
    let is_of_topics = asks_of_topics(&flat);
    let request = TrendRequest { top: TOP, about, ..TrendRequest::default() };
    let Some(first) = periods.first().cloned() else {
        let is_of_one = holds(&CHANGED) || how_it_changed(&flat).is_some() || since_when(&flat).is_some();
        return (request.about.is_some() && is_of_one || is_of_topics).then_some(request);
    };
    let request = TrendRequest { report: !is_of_topics, ..request };
    if let Some(last) = periods.get(1) {
        return Some(TrendRequest {
            from: Some(last.clone()),
            to: Some(last.clone()),
            against: Some(first),
            ..request
        });
    }
    if holds(&AFTER) {
        let day = Day::of_number(first.to.number() + 1);
        return Some(TrendRequest { from: Some(Period::day(day, &day.to_string())), ..request });
    }
    let is_open = holds(&SINCE);
    Some(TrendRequest { to: (!is_open).then(|| first.clone()), from: Some(first), ..request })
}

/// Whether a question asks which topics rise or fall.
fn asks_of_topics(flat: &str) -> bool {
    let holds = |forms: &[&str]| forms.iter().any(|form| flat.contains(form));
    let asks = ["which ", "what ", "show ", "list "].iter().any(|form| flat.starts_with(form));
    (asks || holds(&["哪些", "什么"])) && holds(&MOVES) && holds(&TOPICS)
}

/// What a question asks of how it changed: "how did the Kestrel change", "how has LinkedIn changed since", X有什么变化.
fn how_it_changed(flat: &str) -> Option<&str> {
    ["how did ", "how has ", "how have "].iter().find_map(|form| {
        let (_, rest) = flat.split_once(form)?;
        rest.split_once(" change").map(|(subject, _)| subject.trim())
    })
}

/// What a question asks of since when it is named.
fn since_when(flat: &str) -> Option<&str> {
    let forms: [(&[&str], &[&str]); 2] = [
        (
            &["since when is ", "since when was ", "since when has "],
            &[" mentioned", " been mentioned", " named"],
        ),
        (&["when was ", "when is "], &[" first mentioned", " mentioned first", " first named"]),
    ];
    let english = forms.iter().find_map(|(begins, ends)| {
        let rest = begins.iter().find_map(|form| flat.split_once(form)).map(|(_, rest)| rest)?;
        ends.iter().find_map(|end| rest.split_once(end))
    });
    english.map(|(subject, _)| subject.trim()).or_else(|| flat.contains("什么时候开始提到").then_some(flat))
}

/// Whether a question asks of an entity itself, and not of a figure or a part of it: one noun may stand behind its name.
fn is_about(flat: &str, entity: &Entity) -> bool {
    let Some(subject) = how_it_changed(flat).or_else(|| since_when(flat)) else { return true };
    let subject = subject.strip_prefix("the ").unwrap_or(subject);
    let names = std::iter::once(&entity.name).chain(&entity.aliases);
    names.map(|name| fold(name).to_lowercase()).any(|name| {
        let rest = subject.strip_prefix(name.as_str());
        rest.is_some_and(|rest| {
            rest.is_empty() || rest.starts_with(' ') && rest.split_whitespace().count() == 1
        }) || subject == flat && flat.contains(&name)
    })
}

/// A heading and what it holds.
struct ChangeList {
    title: String,
    lines: Vec<ChangeLine>,
}

/// A name, or a time and a name, with the sentences that show it, the later one first.
struct ChangeLine {
    name: String,
    sources: Vec<SourceSentence>,
}

impl ChangeList {
    fn new(titles: [&str; 2], is_chinese: bool, lines: Vec<ChangeLine>) -> Option<Self> {
        let [english, chinese] = titles;
        let title = if is_chinese { chinese } else { english }.to_owned();
        (!lines.is_empty()).then_some(Self { title, lines })
    }
}

/// What is said otherwise first, then what is new, named more, less, no more; of one thing without a time also with what it is
/// named first and last.
fn of_changes(found: &Trends, wanted: &TrendRequest, is_chinese: bool) -> Vec<ChangeList> {
    let compared = |list: &[Compared]| -> Vec<ChangeLine> {
        list.iter()
            .map(|one| ChangeLine { name: one.name.clone(), sources: one.source.iter().cloned().collect() })
            .collect()
    };
    let otherwise = |list: &[Contradiction]| -> Vec<ChangeLine> {
        let skip = list.len().saturating_sub(CHANGES);
        let sides = |one: &Contradiction| vec![one.later.source.clone(), one.earlier.source.clone()];
        list.iter()
            .skip(skip)
            .map(|one| ChangeLine { name: one.entity.clone(), sources: sides(one) })
            .collect()
    };
    let titles = ["Said otherwise before:", "说法有变："];
    let Some(report) = &found.report else {
        let first = [ChangeKind::New, ChangeKind::Ended].map(|what| {
            let of_kind: Vec<&Change> = found.changes.iter().filter(|change| change.what == what).collect();
            let skip = of_kind.len().saturating_sub(CHANGES);
            of_kind
                .into_iter()
                .skip(skip)
                .map(|one| ChangeLine {
                    name: format!("{}, {}", one.period, one.name),
                    sources: one.source.iter().cloned().collect(),
                })
                .collect::<Vec<_>>()
        });
        let [new, ended] = first;
        return [
            ChangeList::new(titles, is_chinese, otherwise(&found.contradictions)),
            ChangeList::new(["First named with:", "首次一同提及："], is_chinese, new),
            ChangeList::new(["Last named with:", "最后一同提及："], is_chinese, ended),
        ]
        .into_iter()
        .flatten()
        .collect();
    };
    // of one thing all that is said otherwise within both times counts, not only in the later one
    let span = wanted.against.as_ref().zip(wanted.to.as_ref());
    let within = |one: &&Contradiction| {
        let date = one.later.source.date.as_ref();
        date.zip(span).is_some_and(|(date, (from, to))| date.from > from.from && date.from <= to.to)
    };
    let mut said = report.contradictions.clone();
    for one in found.contradictions.iter().filter(within) {
        let is_known =
            |known: &Contradiction| known.later.source == one.later.source && known.about == one.about;
        if !said.iter().any(is_known) {
            said.push(one.clone());
        }
    }
    [
        ChangeList::new(["New:", "新出现："], is_chinese, compared(&report.new)),
        ChangeList::new(["Named more:", "提得更多："], is_chinese, compared(&report.more)),
        ChangeList::new(["Named less:", "提得更少："], is_chinese, compared(&report.less)),
        ChangeList::new(["No longer named:", "不再提及："], is_chinese, compared(&report.gone)),
        ChangeList::new(titles, is_chinese, otherwise(&said)),
        ChangeList::new(["Named for the first time:", "首次提及："], is_chinese, compared(&report.first)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Which topics and names rise, fall, begin and end, each with its last sentence.
fn of_topics(found: &Trends, is_chinese: bool) -> Vec<ChangeList> {
    let line = |trend: &Trend| ChangeLine {
        name: trend.name.clone(),
        sources: trend.sources.last().cloned().into_iter().collect(),
    };
    let of = |change: TopicChange, list: &[Trend]| -> Vec<ChangeLine> {
        let topics = found.topics.iter().filter(|topic| topic.change == change).map(|topic| &topic.trend);
        let others = list.iter().filter(|trend| trend.kind != TrendKind::Community);
        topics.chain(others).map(line).filter(|line| !line.sources.is_empty()).take(TOP).collect()
    };
    [
        ChangeList::new(["Rising:", "上升："], is_chinese, of(TopicChange::Growing, &found.rising)),
        ChangeList::new(["New:", "新出现："], is_chinese, of(TopicChange::Born, &found.new)),
        ChangeList::new(["Falling:", "下降："], is_chinese, of(TopicChange::Shrinking, &found.falling)),
        ChangeList::new(["No longer named:", "不再提及："], is_chinese, of(TopicChange::Ended, &found.gone)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Since when something is named, with the first sentence.
fn since(found: &Trends, is_chinese: bool) -> Vec<ChangeList> {
    let lines = found.about.iter().map(|trend| ChangeLine {
        name: format!("{}, {}", trend.since, trend.name),
        sources: trend.sources.first().cloned().into_iter().collect(),
    });
    ChangeList::new(["Named first:", "首次提及："], is_chinese, lines.collect()).into_iter().collect()
}

/// The answer where documents lie in both times and nothing differs.
fn nothing_differs(
    request: &QueryRequest,
    report: &TimeReport,
    is_chinese: bool,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Answer {
    let time = |[from, to]: &[String; 2]| if from == to { from.clone() } else { format!("{from} – {to}") };
    let (now, before, [of, against]) = (time(&report.of), time(&report.against), report.documents);
    let answer = if is_chinese {
        format!("与{before}（{against}篇）相比，{now}（{of}篇）没有超出偶然的变化。")
    } else {
        format!(
            "Nothing is told more, less, for the first time or otherwise in {now} ({of} documents) than in {before} \
             ({against} documents), beyond chance."
        )
    };
    on_text(&answer);
    Answer { method: request.method, answer, found: Found(true), ..Answer::default() }
}

async fn units(search: &Search<'_>, sources: &[&SourceSentence]) -> Result<BTreeMap<Id, StoredUnit>> {
    let ids: Vec<Id> = ranked(sources).into_iter().map(|(id, _)| id).collect();
    let units = search.reader.passages_by_id(&ids).await?;
    Ok(units.into_iter().map(|unit| (unit.unit.id.clone(), unit)).collect())
}

/// The text units of sentences, in their order.
fn ranked(sources: &[&SourceSentence]) -> Vec<(Id, f64)> {
    let mut ids: Vec<Id> = Vec::new();
    for source in sources {
        if !ids.contains(&source.text_unit_id) {
            ids.push(source.text_unit_id.clone());
        }
    }
    ids.into_iter().enumerate().map(|(place, id)| (id, 1.0 / (place + 1) as f64)).collect()
}

/// The lists as an answer, with citations of the context.
fn render(lists: &[ChangeList], result: &Answer) -> String {
    let cite = |source: &SourceSentence| {
        let mut items = result.context.of(RecordKind::Sources);
        let item = items.find(|item| item.record.id == source.text_unit_id);
        let mark = item.map(|item| format!(" [Data: Sources ({})]", item.number)).unwrap_or_default();
        format!("{}{mark}", source.text)
    };
    let line = |one: &ChangeLine| {
        let said: Vec<String> = one.sources.iter().map(cite).collect();
        let gap = if said.is_empty() { "" } else { ": " };
        format!("- {}{gap}{}", one.name, said.join(" / "))
    };
    let text = |list: &ChangeList| {
        std::iter::once(list.title.clone()).chain(list.lines.iter().map(line)).collect::<Vec<_>>().join("\n")
    };
    lists.iter().map(text).collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::FiscalCalendar;

    #[test]
    fn questions_about_change_are_read() {
        let entity = |name: &str| Entity { name: name.to_owned(), ..Entity::default() };
        assert_eq!(
            how_it_changed("how did the kestrel gearbox change between 2022 and 2023?"),
            Some("the kestrel gearbox")
        );
        assert_eq!(how_it_changed("how has linkedin changed since 2016?"), Some("linkedin"));
        assert_eq!(how_it_changed("how did it work?"), None);
        assert_eq!(since_when("since when is brightwater mentioned?"), Some("brightwater"));
        assert!(is_about("how did the kestrel gearbox change?", &entity("Kestrel")));
        assert!(!is_about("how did kestrel gearbox sales change?", &entity("Kestrel")));
        assert!(!is_about("how did revenue of kestrel change?", &entity("Kestrel")));
        assert!(is_about("what changed at kestrel?", &entity("Kestrel")));
    }

    #[test]
    fn what_comes_after_a_year_begins_behind_it() {
        let of = |text: &str| {
            let question = Question::read(text, &[], FiscalCalendar::default());
            wanted(&question, None)
                .map(|wanted| (wanted.from.map(|from| from.from.to_string()), wanted.report))
        };
        assert_eq!(of("What disappeared after 2022?"), Some((Some("2023-01-01".to_owned()), true)));
        assert_eq!(of("What is new since 2022?"), Some((Some("2022-01-01".to_owned()), true)));
        assert_eq!(of("Which topics are rising?"), Some((None, false)));
        assert_eq!(of("What changed?"), None);
        let question = Question::read("What is different about Tarn?", &[], FiscalCalendar::default());
        assert!(wanted(&question, Some("Tarn".to_owned())).is_none());
    }
}
