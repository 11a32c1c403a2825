//! A form to a plan: names are looked up, nouns become classes, times become spans.

use super::algebra::{GroupMeasure, LONGEST_PATH, Plan, Succession};
use super::execution::Execution;
use super::form::{Ask, Bounds, Condition, Counted, Form, Other, Ranking, Role, Time, When};
use super::nouns::{self, Meaning, RowKind};
use super::reading::Types;
use super::time::DaySpan;
use super::wording::{says_nothing, split_or};
use crate::domain::{FiscalCalendar, Id, Ids, Period, name_key};
use crate::language::Language;
use crate::language::dates::date_of;
use crate::stores::graph::GraphReader;
use anyhow::Result;
use futures::FutureExt;
use futures::future::BoxFuture;
use std::collections::BTreeSet;
use std::sync::Arc;
use thiserror::Error;

/// A plan with what was taken for what.
#[derive(Clone, Debug, PartialEq)]
pub struct Compiled {
    /// The plan: its first column is what was asked for, its second the number of a ranking or a sum.
    pub plan: Plan,
    /// Whether only the number of its rows is wanted.
    pub counts: bool,
    /// Nouns that say more than the class which they were taken for: (noun, class).
    pub taken: Vec<(String, String)>,
    /// Entities that the question names.
    pub named: Vec<Id>,
    /// Wordings of relationships in it.
    pub wordings: Vec<String>,
}

/// Why a form cannot become a plan, to be told to whoever asked.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refused {
    /// A name that the graph does not know.
    #[error("the graph knows no {0:?}; `graphwright entities show {0:?}` tells which names come near")]
    UnknownName(String),
    /// A time that is no date.
    #[error("{0:?} is no date that can be read; write a year, 2016-06, \"June 2016\", FY16Q4 or 建安五年")]
    NoDate(String),
    /// Nothing that rows could be chosen by.
    #[error("the question names nobody and nothing that rows could be chosen by")]
    Unbound,
    /// All things of a kind, in a graph that does not tell which they are.
    #[error(
        "most things of the graph have no type, so that it cannot say which all of its {0:?} are; name somebody or something"
    )]
    NoTypes(String),
    /// A model found that it asks for no rows.
    #[error("a model read the question, and finds that it asks for no rows")]
    NoRows,
    /// What a model made of the question cannot be used.
    #[error(
        "the question has none of the shapes that are known, and what a model made of it cannot be used: {0}"
    )]
    Unread(String),
    /// A question that the algebra has no operator for.
    #[error("{0}")]
    Other(String),
}

impl Refused {
    /// The reason in the language of whoever asked.
    pub fn message(&self, language: Language) -> String {
        if language != Language::Chinese {
            return self.to_string();
        }
        match self {
            Self::UnknownName(name) => {
                format!("图中没有“{name}”；`graphwright entities show {name:?}` 列出相近的名称")
            }
            Self::NoDate(date) => {
                format!("“{date}”不是能读懂的日期；请写年份、2016-06、“June 2016”、FY16Q4 或 建安五年")
            }
            Self::Unbound => "问题没有提到可以据以选取的人或事物".to_owned(),
            Self::NoTypes(thing) => {
                format!("图中大多数事物没有类型，无法判断哪些是“{thing}”；请在问题里写出人或事物的名称")
            }
            Self::NoRows => "模型读了问题，认为它问的不是可以列出的内容".to_owned(),
            Self::Unread(problem) => format!("问题不属于已知的问法，模型给出的解读也不能用（{problem}）"),
            Self::Other(reason) => reason.clone(),
        }
    }
}

/// What a form is compiled with.
pub struct Compiler<'a> {
    /// Where names are looked up.
    pub reader: &'a dyn GraphReader,
    /// Ids of the workspace.
    pub ids: &'a Ids,
    /// When fiscal years begin.
    pub calendar: FiscalCalendar,
    types: Arc<Types<'a>>,
    /// The last day of what is to be known.
    pub as_of: Option<Period>,
}

/// What is gathered on the way.
#[derive(Default)]
struct CompilationState {
    taken: Vec<(String, String)>,
    named: Vec<Id>,
    wordings: Vec<String>,
}

impl<'a> Compiler<'a> {
    /// A compiler over the graph that an execution reads.
    pub fn new(
        reader: &'a dyn GraphReader,
        ids: &'a Ids,
        calendar: FiscalCalendar,
        execution: &Execution<'a>,
    ) -> Self {
        Self { reader, ids, calendar, types: execution.types(), as_of: None }
    }

    /// The plan of a form.
    ///
    /// # Errors
    /// What the store says; the inner one: [`Refused`].
    pub async fn compile(&self, form: &Form) -> Result<Result<Compiled, Refused>> {
        let mut gathered = CompilationState::default();
        // nouns mean the graph's own types first
        self.types.all().await?;
        let plan = match self.of_form(form, &mut gathered).await {
            Ok(plan) => plan,
            Err(CompilationStop::Refused(refused)) => return Ok(Err(refused)),
            Err(CompilationStop::Failed(error)) => return Err(error),
        };
        let CompilationState { taken, named, mut wordings } = gathered;
        wordings.sort();
        wordings.dedup();
        Ok(Ok(Compiled { plan, counts: form.ask == Ask::Count, taken, named, wordings }))
    }

    async fn of_form(&self, form: &Form, gathered: &mut CompilationState) -> Outcome<Plan> {
        if form.ask == Ask::Path {
            return self.path(form, gathered).await;
        }
        let meaning = self.meaning(&form.thing, gathered);
        let rows = self.rows(&meaning, form, gathered).await?;
        Ok(match form.ask {
            Ask::List | Ask::Count | Ask::Path => rows,
            Ask::First | Ask::Last if matches!(meaning.kind, RowKind::Entities(_)) => {
                Plan::Utmost { input: Box::new(rows), last: form.ask == Ask::Last }
            }
            Ask::First | Ask::Last => {
                let dated = Plan::DatesOf { input: Box::new(rows), column: 0, years: false };
                let ordered =
                    Plan::Order { input: Box::new(dated), column: 1, descending: form.ask == Ask::Last };
                Plan::Top { input: Box::new(ordered), count: 1 }
            }
            Ask::Total => {
                let amounts = Plan::AmountsOf { input: Box::new(rows), column: 0 };
                Plan::Order { input: Box::new(amounts), column: 1, descending: true }
            }
            Ask::Most | Ask::Fewest => {
                let Some(ranking) = &form.ranking else {
                    return Err(
                        Refused::Other("it is not said what the most is counted by".to_owned()).into()
                    );
                };
                let counted = self.counted(&meaning, rows, ranking, form, gathered);
                if let Some(Bounds { least, most }) = ranking.bounds {
                    let kept = Plan::Bounded { input: Box::new(counted), column: 1, least, most };
                    return Ok(Plan::Order { input: Box::new(kept), column: 1, descending: true });
                }
                let ordered =
                    Plan::Order { input: Box::new(counted), column: 1, descending: form.ask == Ask::Most };
                Plan::Top { input: Box::new(ordered), count: ranking.count.clamp(1, 1000) }
            }
        })
    }

    /// Whether a compiled form counts what only a word tells apart, no class and no type of the graph: "goals" that somebody
    /// scored; or anything at all, as where 有几个展厅 asks of a name. A sentence may say their number, and rows would be the
    /// names beside that word; what was not done no sentence says.
    pub fn counts_by_a_word(&self, form: &Form) -> bool {
        let meaning = nouns::read(&form.thing, self.types.read());
        let any = meaning.kind == RowKind::Entities(Vec::new());
        let is_told = meaning.described.is_some() || form.thing.is_empty();
        form.ask == Ask::Count && !form.is_denied() && any && is_told
    }

    fn meaning(&self, noun: &str, gathered: &mut CompilationState) -> Meaning {
        let meaning = nouns::read(noun, self.types.read());
        gathered.taken.extend(meaning.taken.clone());
        meaning
    }

    /// The rows of a form before they are counted or ranked: one column.
    fn rows<'b>(
        &'b self,
        meaning: &'b Meaning,
        form: &'b Form,
        gathered: &'b mut CompilationState,
    ) -> BoxFuture<'b, Outcome<Plan>> {
        async move {
            match &meaning.kind {
                RowKind::Entities(classes) => self.entities(classes, meaning, form, gathered).await,
                RowKind::Documents | RowKind::Years => {
                    let years = meaning.kind == RowKind::Years;
                    self.documents(years, &form.conditions, gathered).await
                }
                RowKind::Claims => self.claims(&form.conditions, gathered).await,
                RowKind::Communities => self.communities(&form.conditions, gathered).await,
            }
        }
        .boxed()
    }

    /// Entities: those of the first condition that holds, then what the others leave of them.
    async fn entities(
        &self,
        classes: &[String],
        meaning: &Meaning,
        form: &Form,
        gathered: &mut CompilationState,
    ) -> Outcome<Plan> {
        let all = || Plan::Entities { classes: classes.to_vec() };
        let mut rows: Option<Plan> = None;
        let (held, denied): (Vec<&Condition>, Vec<&Condition>) =
            form.conditions.iter().partition(|condition| !condition.negated);
        let (filters, joins): (Vec<&Condition>, Vec<&Condition>) =
            held.into_iter().partition(|condition| condition.row == Role::Mentioned);
        for condition in joins {
            let found = self.joined(condition, classes, gathered).await?;
            rows = Some(match rows {
                None => found,
                Some(rows) => Plan::Intersect { left: Box::new(rows), right: Box::new(found), on: (0, 0) },
            });
        }
        for condition in filters {
            let input = rows.unwrap_or_else(all);
            rows = Some(mentioned(input, self.span(condition.time.as_ref())?));
        }
        let mut rows = match rows {
            Some(rows) => typed(rows, classes),
            None if form.ranking.is_none() => self.all_of(form, classes).await?,
            None => all(),
        };
        for condition in denied {
            let without = if condition.row == Role::Mentioned {
                mentioned(rows.clone(), self.span(condition.time.as_ref())?)
            } else {
                self.joined(condition, classes, gathered).await?
            };
            rows = Plan::Except { left: Box::new(rows), right: Box::new(without), on: (0, 0) };
        }
        let parts_itself =
            |condition: &Condition| matches!(condition.row, Role::Either | Role::Beside) || condition.negated;
        if form.conditions.iter().any(parts_itself) {
            let entities = self.names_in(&form.conditions).await?;
            let named = Plan::Named { entities };
            rows = Plan::Except { left: Box::new(rows), right: Box::new(named), on: (0, 0) };
        }
        if let Some(noun) = &meaning.described {
            if form.conditions.is_empty() && classes.is_empty() && form.ranking.is_none() {
                return Err(Refused::Unbound.into());
            }
            let whole = classes.is_empty();
            rows = Plan::Described { input: Box::new(rows), column: 0, noun: noun.clone(), whole };
        }
        Ok(rows)
    }

    /// All entities of these classes, where types tell which they are.
    async fn all_of(&self, form: &Form, classes: &[String]) -> Outcome<Plan> {
        if classes.is_empty() && form.conditions.is_empty() {
            return Ok(Plan::Entities { classes: Vec::new() });
        }
        if self.types.leave_open(classes).await.map_err(CompilationStop::Failed)? {
            return Err(Refused::NoTypes(form.thing.clone()).into());
        }
        Ok(Plan::Entities { classes: classes.to_vec() })
    }

    /// The entities that a condition holds of.
    fn joined<'b>(
        &'b self,
        condition: &'b Condition,
        classes: &'b [String],
        gathered: &'b mut CompilationState,
    ) -> BoxFuture<'b, Outcome<Plan>> {
        self.joined_of(condition, classes, gathered).boxed()
    }

    async fn joined_of(
        &self,
        condition: &Condition,
        classes: &[String],
        gathered: &mut CompilationState,
    ) -> Outcome<Plan> {
        let held = self.succession(condition.time.as_ref()).await?;
        let during = if held.is_some() { self.known_span() } else { self.span(condition.time.as_ref())? };
        let wording =
            if says_nothing(&condition.wording) { String::new() } else { condition.wording.clone() };
        if !wording.is_empty() && split_or(&wording).is_none() {
            gathered.wordings.push(wording.clone());
        }
        let others = &condition.others;
        if !condition.third.is_empty() {
            let third = self.named(&condition.third).await?;
            gathered.named.extend(third.clone());
            let two = Condition { third: Vec::new(), ..condition.clone() };
            let input = Box::new(self.joined(&two, classes, gathered).await?);
            let named = Plan::Naming { input, entities: third.clone() };
            // who takes part is none of the rows
            let parts = Box::new(Plan::Named { entities: third });
            return Ok(Plan::Except { left: Box::new(named), right: parts, on: (0, 0) });
        }
        // "founded or funded": what either says
        if let Some((one, other)) = split_or(&condition.wording) {
            let of = |wording: &str| Condition { wording: wording.to_owned(), ..condition.clone() };
            let left = Box::new(self.joined(&of(one), classes, gathered).await?);
            let right = Box::new(self.joined(&of(other), classes, gathered).await?);
            return Ok(Plan::Union { left, right });
        }
        match condition.row {
            Role::Subject | Role::Object | Role::Either => {
                let side = condition.row.side();
                // "companies that acquired somebody": every company, by whom it did it to
                if others.names.is_empty() && others.conditions.is_empty() {
                    let input = Box::new(Plan::Entities { classes: classes.to_vec() });
                    let meaning = self.meaning(&others.thing, gathered);
                    let related = Plan::Related { input, column: 0, wording, side: side.turned(), during };
                    let related = match meaning.kind {
                        RowKind::Entities(classes) if !classes.is_empty() => {
                            Plan::OfType { input: Box::new(related), column: 1, classes }
                        }
                        _ => related,
                    };
                    return Ok(holding(Plan::Columns { input: Box::new(related), columns: vec![0] }, held));
                }
                let input = Box::new(self.others(others, gathered).await?);
                let related = Plan::Related { input, column: 0, wording, side, during };
                Ok(holding(Plan::Columns { input: Box::new(related), columns: vec![1] }, held))
            }
            Role::Beside => {
                let input = Box::new(self.others(others, gathered).await?);
                let communities = Plan::CommunitiesOf { input, column: 0 };
                let members = Plan::MembersOf { input: Box::new(communities), column: 1 };
                Ok(Plan::Columns { input: Box::new(members), columns: vec![2] })
            }
            Role::Mentioned => Ok(mentioned(Plan::Entities { classes: classes.to_vec() }, during)),
            Role::Mentions | Role::About | Role::Holds => Err(Refused::Other(
                "only documents mention, only claims are about, only communities hold".to_owned(),
            )
            .into()),
        }
    }

    /// The entities that a condition names or describes.
    fn others<'b>(
        &'b self,
        other: &'b Other,
        gathered: &'b mut CompilationState,
    ) -> BoxFuture<'b, Outcome<Plan>> {
        async move {
            if other.names.is_empty() {
                let inner = Form {
                    ask: Ask::List,
                    thing: other.thing.clone(),
                    conditions: other.conditions.clone(),
                    ranking: None,
                };
                let meaning = self.meaning(&other.thing, gathered);
                let RowKind::Entities(_) = meaning.kind else {
                    return Err(Refused::Other(format!(
                        "{:?} are nothing that relationships join",
                        other.thing
                    ))
                    .into());
                };
                return self.rows(&meaning, &inner, gathered).await;
            }
            let entities = self.named(&other.names).await?;
            gathered.named.extend(entities.clone());
            Ok(Plan::Named { entities })
        }
        .boxed()
    }

    async fn documents(
        &self,
        years: bool,
        conditions: &[Condition],
        gathered: &mut CompilationState,
    ) -> Outcome<Plan> {
        let mut rows: Option<Plan> = None;
        for condition in conditions {
            let during = self.span(condition.time.as_ref())?;
            let found = match condition.row {
                Role::Mentions => {
                    let input = Box::new(self.others(&condition.others, gathered).await?);
                    let documents = Plan::MentionedIn { input, column: 0, during };
                    Plan::Columns { input: Box::new(documents), columns: vec![1] }
                }
                _ => {
                    return Err(Refused::Other(
                        "of documents it can be asked what they mention, and when".to_owned(),
                    )
                    .into());
                }
            };
            rows = Some(match (rows, condition.negated) {
                (None, false) => found,
                (rows, true) => Plan::Except {
                    left: Box::new(rows.unwrap_or(Plan::Documents)),
                    right: Box::new(found),
                    on: (0, 0),
                },
                (Some(rows), false) => {
                    Plan::Intersect { left: Box::new(rows), right: Box::new(found), on: (0, 0) }
                }
            });
        }
        let rows = rows.unwrap_or(Plan::Documents);
        Ok(if years {
            let dated = Plan::DatesOf { input: Box::new(rows), column: 0, years: true };
            Plan::Columns { input: Box::new(dated), columns: vec![1] }
        } else {
            rows
        })
    }

    async fn claims(&self, conditions: &[Condition], gathered: &mut CompilationState) -> Outcome<Plan> {
        let [condition] = conditions else { return Err(Refused::Unbound.into()) };
        let held = self.succession(condition.time.as_ref()).await?;
        let during = if held.is_some() { self.known_span() } else { self.span(condition.time.as_ref())? };
        let wording = condition.wording.clone();
        let input = Box::new(self.others(&condition.others, gathered).await?);
        let claims = Plan::ClaimsOf { input, column: 0, wording, during };
        Ok(holding(Plan::Columns { input: Box::new(claims), columns: vec![1] }, held))
    }

    async fn communities(&self, conditions: &[Condition], gathered: &mut CompilationState) -> Outcome<Plan> {
        let Some(condition) = conditions.first() else { return Ok(Plan::Communities) };
        let input = Box::new(self.others(&condition.others, gathered).await?);
        let communities = Plan::CommunitiesOf { input, column: 0 };
        Ok(Plan::Columns { input: Box::new(communities), columns: vec![1] })
    }

    /// Rows with the number that they are ranked by.
    fn counted(
        &self,
        meaning: &Meaning,
        rows: Plan,
        ranking: &Ranking,
        form: &Form,
        gathered: &mut CompilationState,
    ) -> Plan {
        let input = Box::new(rows);
        let group = |input: Plan, by, measure| Plan::Group { input: Box::new(input), by, measure };
        let during = form
            .conditions
            .iter()
            .find(|condition| condition.row == Role::Mentioned && !condition.negated)
            .and_then(|condition| self.span(condition.time.as_ref()).ok())
            .unwrap_or_else(|| self.known_span());
        match (&meaning.kind, ranking.by) {
            // documents, or years, by how many things of a kind they mention
            (RowKind::Documents, _) => {
                let meaning = self.meaning(&ranking.thing, gathered);
                let classes =
                    if let RowKind::Entities(classes) = meaning.kind { classes } else { Vec::new() };
                let mentioning = Plan::Mentioning { input, column: 0 };
                let typed = Plan::OfType { input: Box::new(mentioning), column: 1, classes };
                group(typed, 0, GroupMeasure::Different(1))
            }
            (RowKind::Entities(_), Counted::Documents) => {
                group(Plan::MentionedIn { input, column: 0, during }, 0, GroupMeasure::Different(1))
            }
            (RowKind::Entities(_), Counted::Mentions) => {
                group(Plan::MentionedIn { input, column: 0, during }, 0, GroupMeasure::Grounds)
            }
            (RowKind::Entities(_), Counted::Related) => {
                let wording =
                    if says_nothing(&ranking.wording) { String::new() } else { ranking.wording.clone() };
                if !wording.is_empty() {
                    gathered.wordings.push(wording.clone());
                }
                let side = ranking.row.side().turned();
                let related = Plan::Related { input, column: 0, wording, side, during };
                let meaning = self.meaning(&ranking.thing, gathered);
                let related = match meaning.kind {
                    RowKind::Entities(classes) if !classes.is_empty() => {
                        Plan::OfType { input: Box::new(related), column: 1, classes }
                    }
                    _ => related,
                };
                group(related, 0, GroupMeasure::Different(1))
            }
            (RowKind::Claims | RowKind::Communities | RowKind::Years, _) => {
                group(*input, 0, GroupMeasure::Grounds)
            }
        }
    }

    async fn path(&self, form: &Form, gathered: &mut CompilationState) -> Outcome<Plan> {
        let names =
            form.conditions.first().map(|condition| condition.others.names.clone()).unwrap_or_default();
        let entities = self.each_named(&names).await?;
        let [from, to] = entities.as_slice() else {
            return Err(Refused::Other("a path has two ends".to_owned()).into());
        };
        gathered.named.extend(entities.clone());
        Ok(Plan::Path { from: from.clone(), to: to.clone(), longest: LONGEST_PATH })
    }

    /// The entities that names stand for, sorted.
    async fn named(&self, names: &[String]) -> Outcome<Vec<Id>> {
        let mut entities = self.each_named(names).await?;
        entities.sort();
        entities.dedup();
        Ok(entities)
    }

    /// The entity of each name.
    async fn each_named(&self, names: &[String]) -> Outcome<Vec<Id>> {
        let keys: Vec<String> = names.iter().map(|name| name_key(name)).collect();
        let resolution =
            self.reader.resolution_of(&keys).await.map_err(|error| CompilationStop::Failed(error.into()))?;
        let wanted: Vec<Id> =
            keys.iter().map(|key| self.ids.entity(resolution.get(key).unwrap_or(key))).collect();
        let found = self
            .reader
            .entities_by_id(&wanted)
            .await
            .map_err(|error| CompilationStop::Failed(error.into()))?;
        let known: BTreeSet<&Id> = found.iter().map(|entity| &entity.id).collect();
        for (name, id) in names.iter().zip(&wanted) {
            if !known.contains(id) {
                return Err(Refused::UnknownName(name.clone()).into());
            }
        }
        Ok(wanted)
    }

    /// Every entity that conditions name themselves.
    async fn names_in(&self, conditions: &[Condition]) -> Outcome<Vec<Id>> {
        let names: Vec<String> =
            conditions.iter().flat_map(|condition| condition.others.names.clone()).collect();
        self.named(&names).await
    }

    /// What is known as of the day that was given.
    fn known_span(&self) -> DaySpan {
        DaySpan { as_of: self.as_of.as_ref().map(|period| period.to), ..DaySpan::default() }
    }

    /// What is wanted of things that held one after another; nothing where a time is a date.
    async fn succession(&self, time: Option<&Time>) -> Outcome<Option<Succession>> {
        let Some(time) = time else { return Ok(None) };
        let named = match time.when {
            When::Now => return Ok(Some(Succession::Now)),
            When::Earlier => return Ok(Some(Succession::Earlier)),
            When::Before | When::After => date_of(&time.date, self.calendar).is_none(),
            When::In | When::Since | When::Until => false,
        };
        if !named {
            return Ok(None);
        }
        let entity = match self.each_named(std::slice::from_ref(&time.date)).await {
            Ok(entities) => entities.into_iter().next(),
            Err(CompilationStop::Refused(_)) => None,
            Err(failed) => return Err(failed),
        };
        let entity = entity.ok_or_else(|| CompilationStop::Refused(Refused::NoDate(time.date.clone())))?;
        Ok(Some(if time.when == When::Before {
            Succession::Before(entity)
        } else {
            Succession::After(entity)
        }))
    }

    fn span(&self, time: Option<&Time>) -> Outcome<DaySpan> {
        let dated = |time: &&Time| !matches!(time.when, When::Now | When::Earlier);
        let Some(time) = time.filter(dated) else { return Ok(self.known_span()) };
        let read = |text: &str| {
            date_of(text, self.calendar)
                .ok_or_else(|| CompilationStop::Refused(Refused::NoDate(text.to_owned())))
        };
        let period = read(&time.date)?;
        let span = match (time.when, &time.until) {
            (_, Some(until)) => DaySpan { from: Some(period.from), to: Some(read(until)?.to), as_of: None },
            (When::In, None) => DaySpan::of(&period),
            (When::Since, None) => DaySpan::since(&period),
            (When::After, None) => DaySpan::after(&period),
            (When::Before, None) => DaySpan::ending_before(&period),
            (When::Until, None) => DaySpan::until(&period),
            (When::Now | When::Earlier, None) => DaySpan::default(),
        };
        Ok(span.and(self.known_span()))
    }
}

/// Entities that documents of a time mention.
fn mentioned(input: Plan, during: DaySpan) -> Plan {
    let documents = Plan::MentionedIn { input: Box::new(input), column: 0, during };
    Plan::Columns { input: Box::new(documents), columns: vec![0] }
}

fn holding(rows: Plan, held: Option<Succession>) -> Plan {
    match held {
        Some(held) => Plan::Held { input: Box::new(rows), column: 0, held },
        None => rows,
    }
}

fn typed(rows: Plan, classes: &[String]) -> Plan {
    if classes.is_empty() {
        return rows;
    }
    Plan::OfType { input: Box::new(rows), column: 0, classes: classes.to_vec() }
}

/// Why compiling ended early.
enum CompilationStop {
    Refused(Refused),
    Failed(anyhow::Error),
}

impl From<Refused> for CompilationStop {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

type Outcome<T> = Result<T, CompilationStop>;
