//! Table search: a question that asks for rows becomes a plan over the graph, and its rows come with their proof.
//!
//! Nothing is guessed: what has none of the shapes that are known is refused, with what can be asked in its stead.

mod reading;

use crate::domain::{Claim, Community, Day, Document, Entity, Id, SourceSentence, StoredUnit};
use crate::language::{Language, language_of, one_line};
use crate::llm::Usage;
use crate::query::answer::provenance::{Relating, sentence_relating, source_sentences};
use crate::query::answer::table::{
    Completeness, Superseded, TABLE_VERSION, Table, TableRow, TakenFor, Total,
};
use crate::query::answer::{Answer, Citation, NamedRecord};
use crate::query::plans::amounts::unit;
use crate::query::plans::budget::TooManyRows;
use crate::query::plans::compilation::Refused;
use crate::query::plans::form::{Ask, Form};
use crate::query::plans::time::days_in_text;
use crate::query::plans::{Cell, ColumnType, Execution, PlanRow, RowEvidence};
use crate::query::question::flatten;
use crate::query::question::names::named;
use crate::query::request::{InvalidRequest, Method, QueryRequest};
use crate::query::search::Search;
use crate::services::Services;
use crate::stores::graph::GraphReader;
use anyhow::{Result, bail};
use reading::{NotUnderstood, PlannedQuestion, QuestionReading};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

/// Rows that are shown, those of a table that was asked for their number, and those beside that the records only say something like.
const ROWS: usize = 200;
const ROWS_COUNTED: usize = 50;
const POSSIBLE: usize = 20;
/// Records of a row whose sentences are shown.
const PROOF: usize = 3;
/// Words of the records that are shown of a row.
const SAID: usize = 4;

/// Answers by a table, or says why not.
///
/// # Errors
/// Filters of documents; what the store and the models say.
pub(in crate::query) async fn query(
    services: &Services,
    request: &QueryRequest,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<Answer> {
    if !request.filters.is_empty() {
        bail!(InvalidRequest(
            "a table is made of the whole graph: write the time into the question, or use --as-of, instead of --filter, \
             --from and --to"
                .to_owned()
        ));
    }
    let search = &Search::unfiltered(services, request).await?;
    let mut reading = QuestionReading::of(search);
    let mut answer = match reading.wanted().await? {
        Ok(understood) => match answered(search, &mut reading, &understood).await {
            Ok(answer) => answer,
            Err(error) => refusal(search, too_large(error, understood.form)?).await?,
        },
        Err(not) => refusal(search, not).await?,
    };
    reading.spent.into_iter().for_each(|usage| answer.spent(usage));
    on_text(&answer.answer);
    Ok(answer)
}

/// A plan that would read too much is refused as a question of no known shape is; other errors stay what they are.
fn too_large(error: anyhow::Error, form: Form) -> Result<NotUnderstood> {
    let too_many: TooManyRows = error.downcast()?;
    Ok(NotUnderstood { form: Some(form), why: Some(Refused::Other(too_many.to_string())) })
}

/// What trying for a table came to.
#[derive(Debug, Default)]
pub(in crate::query) struct TableAttempt {
    /// The table.
    pub(in crate::query) answer: Option<Answer>,
    /// What was asked of models for one that did not come about.
    pub(in crate::query) spent: Vec<Usage>,
}

/// A table, where the question can hardly be meant otherwise and the graph has rows for it. What was not done no sentence
/// says: without a model such a question is answered by a table or by why there is none.
///
/// # Errors
/// What the store and the models say.
pub(in crate::query) async fn sure(services: &Services, request: &QueryRequest) -> Result<TableAttempt> {
    if !request.filters.is_empty() || !request.history.is_empty() {
        return Ok(TableAttempt::default());
    }
    let search = &Search::unfiltered(services, request).await?;
    let mut reading = QuestionReading::of(search);
    let understood = match reading.surely().await? {
        Ok(Some(understood)) => understood,
        Ok(None) => return Ok(TableAttempt { answer: None, spent: reading.spent }),
        Err(not) => {
            return Ok(TableAttempt { answer: Some(refusal(search, not).await?), spent: reading.spent });
        }
    };
    let denied = understood.form.is_denied() && services.chat.is_none();
    let is_answer = |answer: &Answer| {
        let undated = understood.form.is_by_time()
            && answer.table.as_ref().is_some_and(|table| !table.possible.is_empty());
        // that something holds no more is an answer, with both sentences
        let ended = answer.table.as_ref().is_some_and(Table::is_of_the_past);
        answer.found.0 || denied || undated || ended
    };
    let answer = match answered(search, &mut reading, &understood).await {
        Ok(answer) => Some(answer).filter(is_answer),
        Err(error) if error.is::<TooManyRows>() && denied => {
            Some(refusal(search, too_large(error, understood.form)?).await?)
        }
        Err(error) if error.is::<TooManyRows>() => None,
        Err(error) => return Err(error),
    };
    let Some(mut answer) = answer else { return Ok(TableAttempt { answer: None, spent: reading.spent }) };
    reading.spent.into_iter().for_each(|usage| answer.spent(usage));
    Ok(TableAttempt { answer: Some(answer), spent: Vec::new() })
}

/// A table of rows that the records say, for a question that nothing else answered: by patterns alone.
///
/// # Errors
/// What the store says.
pub(in crate::query) async fn instead(services: &Services, request: &QueryRequest) -> Result<Option<Answer>> {
    if !request.filters.is_empty() || !request.history.is_empty() {
        return Ok(None);
    }
    let search = &Search::unfiltered(services, request).await?;
    let mut reading = QuestionReading::of(search);
    let Some(understood) = reading.read().await? else { return Ok(None) };
    match answered(search, &mut reading, &understood).await {
        Ok(answer) => Ok(Some(answer).filter(|answer| answer.found.0)),
        Err(error) if error.is::<TooManyRows>() => Ok(None),
        Err(error) => Err(error),
    }
}

/// What is to be said before sentences that answer a question for what was not done: they tell what was. Nothing for any
/// other question.
///
/// # Errors
/// What the store says.
pub(in crate::query) async fn beside_sentences(
    services: &Services,
    request: &QueryRequest,
) -> Result<Option<&'static str>> {
    let search = &Search::unfiltered(services, request).await?;
    if !QuestionReading::of(search).asks_what_was_not_done().await? {
        return Ok(None);
    }
    Ok(Some(match language_of(&request.question) {
        Language::Chinese => {
            "句子只说做了什么，不说没有做什么；`--method table` 能列出记录没有提到的。最接近的段落是："
        }
        _ => {
            "Sentences say what was done, and not what was not: `--method table` lists those of whom no record says it. \
             The nearest passages are:"
        }
    }))
}

/// The table of a plan.
async fn answered(
    search: &Search<'_>,
    reading: &mut QuestionReading<'_>,
    understood: &PlannedQuestion,
) -> Result<Answer> {
    let begun = Instant::now();
    let near = reading.widen(&understood.plan).await?;
    let rows = reading.execution.run(&understood.plan.plan).await?;
    let language = language_of(&search.request.question);
    let mut made = Making { search, citations: Vec::new(), language };
    let mut table = made.table(understood, rows, &mut reading.execution).await?;
    table.taken_for = with_near(table.taken_for, near);
    let mut answer = Answer { method: Method::Table, ..Answer::default() };
    answer.answer = table.text(&made.citations, language);
    answer.found.0 = !table.rows.is_empty();
    answer.sources = source_sentences(&made.citations);
    answer.citations = made.citations;
    answer.entities = match table.rows_are {
        Some(ColumnType::Entity) => named_rows(&table),
        // documents and others are no entities: those that the question names are
        _ => named_entities(search, &understood.plan.named).await?,
    };
    answer.table = Some(table);
    answer.took("search", begun);
    Ok(answer)
}

/// What was taken for a wording by words, and beside it what was by meaning.
fn with_near(mut taken_for: Vec<TakenFor>, near: Vec<TakenFor>) -> Vec<TakenFor> {
    for found in near {
        match taken_for.iter_mut().find(|taken| taken.written == found.written) {
            Some(taken) => {
                taken.taken.retain(|kind| !found.near.contains(kind));
                (taken.near, taken.near_above) = (found.near, found.near_above);
            }
            None => taken_for.push(found),
        }
    }
    taken_for
}

/// The entities that a question names.
async fn named_entities(search: &Search<'_>, ids: &[Id]) -> Result<Vec<NamedRecord>> {
    let found = search.reader.entities_by_id(ids).await?;
    Ok(found.into_iter().map(|entity| NamedRecord { id: entity.id, name: entity.name, score: 1.0 }).collect())
}

/// The entities of a table's rows, the first ones best.
fn named_rows(table: &Table) -> Vec<NamedRecord> {
    let rows = table.rows.iter().enumerate();
    let named = rows.filter_map(|(place, row)| {
        let score = 1.0 / (place as f64 + 1.0);
        Some(NamedRecord { id: row.id.clone()?, name: row.name.clone(), score })
    });
    named.collect()
}

/// What can be asked in the stead of a question that no table answers.
async fn refusal(search: &Search<'_>, not: NotUnderstood) -> Result<Answer> {
    let language = language_of(&search.request.question);
    let why = match (&not.why, language) {
        (Some(why), language) => why.message(language),
        (None, Language::Chinese) => "问题不属于表格能回答的问法".to_owned(),
        (None, _) => "the question has none of the shapes that a table answers".to_owned(),
    };
    let form = not.form.as_ref();
    let known = named(search.reader.as_ref(), &search.services.ids, &search.request.question).await?;
    let name = known.first().map(|entity| one_line(&entity.name));
    let chinese = language == Language::Chinese;
    // the form that was read is what was just refused; what it denies, records may say
    let affirmed = form.filter(|form| form.is_denied()).map(|form| form.affirmed().describe(language));
    let nearest = match (name, chinese) {
        _ if affirmed.is_some() => affirmed.map(|form| format!("“{form}”")).unwrap_or_default(),
        (Some(name), false) => {
            format!("\"What is related to {name}?\", \"Which documents mention {name}?\"")
        }
        (Some(name), true) => format!("“哪些人和{name}有关系？”、“哪些文档提到{name}？”"),
        (None, false) => "\"Who is mentioned in most documents?\"".to_owned(),
        (None, true) => "“谁出现的文档最多？”".to_owned(),
    };
    let text = if chinese {
        let read = form.map(|form| format!("（问题读作：{}）", form.describe(language))).unwrap_or_default();
        format!("无法用表格回答：{why}{read}。可以问：{nearest}。其他问题请用别的检索方法，如 local。")
    } else {
        let read =
            form.map(|form| format!(" (it was read as: {})", form.describe(language))).unwrap_or_default();
        format!(
            "No table answers that: {why}{read}. What can be asked: {nearest}. Other questions are for another method, such as local."
        )
    };
    let mut answer = Answer { method: Method::Table, answer: text, ..Answer::default() };
    answer.found.0 = false;
    Ok(answer)
}

/// Makes a table of rows.
struct Making<'a> {
    search: &'a Search<'a>,
    citations: Vec<Citation>,
    language: Language,
}

/// What rows name.
#[derive(Default)]
struct RowNames {
    entities: BTreeMap<Id, Arc<Entity>>,
    documents: BTreeMap<Id, Document>,
    claims: BTreeMap<Id, Claim>,
    communities: BTreeMap<Id, Community>,
    units: BTreeMap<Id, StoredUnit>,
}

impl Making<'_> {
    async fn table(
        &mut self,
        PlannedQuestion { form, plan: compiled, by }: &PlannedQuestion,
        rows: Vec<PlanRow>,
        execution: &mut Execution<'_>,
    ) -> Result<Table> {
        let (sure, unsure): (Vec<PlanRow>, Vec<PlanRow>) = rows.into_iter().partition(|row| row.sure);
        let count = sure.len();
        // "how many work for N" asks for those who do; who left is shown, and not counted
        let left = sure.iter().filter(|row| row.is_superseded()).count();
        let counted =
            if asks_of_the_past(&self.search.request.question, form) { count } else { count - left };
        let most = if compiled.counts { ROWS_COUNTED } else { ROWS };
        let hidden = count.saturating_sub(most) + unsure.len().saturating_sub(POSSIBLE);
        let mut names = self.names(&sure, &unsure, execution).await?;
        let totals = if form.ask == Ask::Total { totals(&sure, &names) } else { Vec::new() };
        let (mut sure, mut unsure) = (names.sorted(sure, form), names.sorted(unsure, form));
        sure.truncate(most);
        unsure.truncate(POSSIBLE);
        execution.complete(&mut sure).await?;
        execution.complete(&mut unsure).await?;
        let shown: Vec<&PlanRow> = sure.iter().chain(&unsure).collect();
        self.read_units(&shown, &mut names).await?;
        let mut made =
            |rows: &[PlanRow]| -> Vec<TableRow> { rows.iter().map(|row| self.row(row, &names)).collect() };
        let (rows, possible) = (made(&sure), made(&unsure));
        let mut taken_for: Vec<TakenFor> = execution
            .relationship_types()
            .iter()
            .map(|(written, taken)| TakenFor {
                written: written.clone(),
                taken: taken.iter().cloned().collect(),
                ..TakenFor::default()
            })
            .collect();
        taken_for.extend(compiled.taken.iter().map(|(noun, class)| TakenFor {
            written: noun.clone(),
            taken: vec![class.clone()],
            ..TakenFor::default()
        }));
        Ok(Table {
            version: TABLE_VERSION,
            read_as: form.describe(self.language),
            read_by: *by,
            count: compiled.counts.then_some(counted as u64),
            total: match totals.as_slice() {
                [one] => Some(one.total),
                _ => None,
            },
            totals,
            rows,
            possible,
            taken_for,
            unread: form.unread(),
            by_time: form.is_by_time(),
            rows_are: compiled.plan.columns().ok().and_then(|columns| columns.first().copied()),
            completeness: self.completeness(execution.rows_read(), hidden as u64).await?,
        })
    }

    async fn completeness(&self, rows_read: u64, not_shown: u64) -> Result<Completeness> {
        let reader = self.search.reader.as_ref();
        let counts = reader.text_counts().await?;
        let extraction = reader.state().await?.settings.get("extraction").cloned().unwrap_or_default();
        let by_rules = extraction.starts_with("nlp") || extraction.is_empty();
        // the settings' fingerprint behind it is for programs
        let extraction = extraction.split([',', '/']).next().unwrap_or_default().to_owned();
        let extraction = match (by_rules, self.language) {
            (true, Language::Chinese) => "规则".to_owned(),
            (true, _) => "by rules of language, not by a model".to_owned(),
            (false, Language::Chinese) => extraction,
            (false, _) => format!("with {extraction}"),
        };
        Ok(Completeness {
            documents: counts.documents,
            text_units: counts.text_units,
            extraction,
            rows_read,
            not_shown,
        })
    }

    /// What all rows name.
    async fn names(
        &self,
        sure: &[PlanRow],
        unsure: &[PlanRow],
        execution: &Execution<'_>,
    ) -> Result<RowNames> {
        let reader = self.search.reader.as_ref();
        let (mut entities, mut documents) = (BTreeSet::new(), BTreeSet::new());
        let (mut claims, mut communities) = (BTreeSet::new(), BTreeSet::new());
        for cell in sure.iter().chain(unsure).flat_map(|row| &row.cells) {
            match cell {
                Cell::Entity(id) => entities.insert(id.clone()),
                Cell::Document(id) => documents.insert(id.clone()),
                Cell::Claim(id) => claims.insert(id.clone()),
                Cell::Community(id) => communities.insert(id.clone()),
                Cell::Number(_) | Cell::Text(_) => false,
            };
        }
        let list = |ids: BTreeSet<Id>| ids.into_iter().collect::<Vec<_>>();
        let claims = reader.claims_by_id(&list(claims)).await?;
        let communities = reader.communities_by_id(&list(communities)).await?;
        let mut known = execution.known_entities(&entities);
        entities.retain(|id| !known.contains_key(id));
        known.extend(entities_of(reader, &list(entities)).await?);
        Ok(RowNames {
            entities: known,
            documents: by_id(reader.documents_by_id(&list(documents)).await?, |document| &document.id),
            claims: by_id(claims, |claim| &claim.id),
            communities: by_id(communities, |community| &community.id),
            units: BTreeMap::new(),
        })
    }

    /// The text units of the records that are shown, and the entities that those speak of.
    async fn read_units(&self, rows: &[&PlanRow], names: &mut RowNames) -> Result<()> {
        let reader = self.search.reader.as_ref();
        let grounds = || {
            let shown = rows.iter().flat_map(|row| proof(row));
            shown.flat_map(|ground| std::iter::once(ground).chain(ground.superseded.as_deref()))
        };
        let units: BTreeSet<Id> = grounds().map(|ground| ground.text_unit.clone()).collect();
        let about: BTreeSet<Id> = grounds().flat_map(|ground| ground.about.clone()).collect();
        let units = reader.passages_by_id(&units.into_iter().collect::<Vec<_>>()).await?;
        names.units = by_id(units, |unit| &unit.unit.id);
        let missing: Vec<Id> = about.into_iter().filter(|id| !names.entities.contains_key(id)).collect();
        names.entities.extend(entities_of(reader, &missing).await?);
        Ok(())
    }

    fn row(&mut self, row: &PlanRow, names: &RowNames) -> TableRow {
        let mut made = names.described(row);
        let held = row.is_superseded();
        let mut days: Vec<(Day, Day)> = Vec::new();
        for ground in proof(row) {
            let Some((place, sentence)) = self.prove(ground, names) else { continue };
            // a record without a date of its own has that of its document; the sentence may tell better
            if !ground.dated {
                days.extend(days_in_text(&sentence.text, self.search.calendar()));
            }
            if !made.sources.contains(&sentence) {
                made.sources.push(sentence.clone());
            }
            made.cited.push(place);
            let Some(later) = ground.superseded.as_ref().filter(|_| held) else { continue };
            let Some((later_place, later)) = self.prove(later, names) else { continue };
            made.cited.push(later_place);
            let superseded = Superseded { earlier: sentence, later, cited: [place, later_place] };
            if !made.superseded.contains(&superseded) {
                made.superseded.push(superseded);
            }
        }
        if let Some(first) = days.iter().map(|(from, _)| *from).min() {
            (made.first, made.last) = (Some(first), days.iter().map(|(_, to)| *to).max());
        }
        made
    }

    /// The sentence of a record and its place among the answer's citations.
    fn prove(&mut self, ground: &RowEvidence, names: &RowNames) -> Option<(usize, SourceSentence)> {
        let unit = names.units.get(&ground.text_unit)?;
        let relating = Relating {
            said: if ground.said.is_empty() { &ground.kind } else { &ground.said },
            words: &ground.words,
            names: ground.about.iter().map(|id| names.spellings(id)).collect(),
            record: ground.record,
        };
        let (sentence, headings) = sentence_relating(unit, relating)?;
        Some((self.cite(ground, sentence.clone(), headings), sentence))
    }

    /// The place of a citation among the answer's.
    fn cite(&mut self, ground: &RowEvidence, sentence: SourceSentence, headings: Vec<String>) -> usize {
        let same = |known: &Citation| known.id == ground.id && known.sentence.as_ref() == Some(&sentence);
        if let Some(place) = self.citations.iter().position(same) {
            return place;
        }
        let of_kind = self.citations.iter().filter(|known| known.kind == ground.record);
        self.citations.push(Citation {
            kind: ground.record,
            number: of_kind.count() + 1,
            id: ground.id.clone(),
            name: sentence.document.clone(),
            headings,
            sentence: Some(sentence),
        });
        self.citations.len() - 1
    }
}

/// Whether a question is about what was, and not about what holds.
fn asks_of_the_past(question: &str, form: &Form) -> bool {
    const PAST: [&str; 10] =
        ["did", "was", "were", "had", "has", "have", "ever", "former", "formerly", "previously"];
    let flat = question.to_lowercase();
    let in_words = flat.split(|c: char| !c.is_alphanumeric()).any(|word| PAST.contains(&word));
    let in_verb = form.conditions.iter().any(|condition| {
        condition.wording.split(' ').any(|word| word.ends_with("ed")) || condition.time.is_some()
    });
    in_words || in_verb || flat.contains(['过', '曾', '了'])
}

/// What sure rows of amounts come to, each unit for itself.
fn totals(rows: &[PlanRow], names: &RowNames) -> Vec<Total> {
    let mut sums: BTreeMap<String, i64> = BTreeMap::new();
    for row in rows {
        let claim = row.cells.first().and_then(Cell::id).and_then(|id| names.claims.get(id));
        let unit = claim.map(|claim| unit(&claim.description)).unwrap_or_default();
        let number = row.cells.get(1).and_then(thousandths).unwrap_or_default();
        let sum = sums.entry(unit).or_default();
        *sum = sum.saturating_add(number);
    }
    sums.into_iter().map(|(unit, sum)| Total { unit, total: sum as f64 / 1000.0 }).collect()
}

async fn entities_of(reader: &dyn GraphReader, ids: &[Id]) -> Result<BTreeMap<Id, Arc<Entity>>> {
    let found = reader.entities_by_id(ids).await?.into_iter();
    Ok(found.map(|entity| (entity.id.clone(), Arc::new(entity))).collect())
}

fn by_id<T>(found: Vec<T>, id: impl Fn(&T) -> &Id) -> BTreeMap<Id, T> {
    found.into_iter().map(|one| (id(&one).clone(), one)).collect()
}

/// The records whose sentences are shown: of each text unit and pair one, sure ones first, and of them each pair's first.
fn proof(row: &PlanRow) -> Vec<&RowEvidence> {
    let mut seen: BTreeSet<(&Id, &[Id])> = BTreeSet::new();
    let mut pairs: BTreeSet<&[Id]> = BTreeSet::new();
    let each = row.grounds.iter().filter(|ground| seen.insert((&ground.text_unit, ground.about.as_slice())));
    let mut shown: Vec<(bool, &RowEvidence)> =
        each.map(|ground| (ground.sure && pairs.insert(&ground.about), ground)).collect();
    // a row that rests on two joined relationships shows a sentence of either
    shown.sort_by_key(|(first, _)| !first);
    shown.into_iter().map(|(_, ground)| ground).take(PROOF).collect()
}

fn thousandths(cell: &Cell) -> Option<i64> {
    match cell {
        Cell::Number(number) => Some(*number),
        _ => None,
    }
}

impl RowNames {
    fn spellings(&self, id: &Id) -> Vec<String> {
        let entity = self.entities.get(id);
        entity
            .map(|entity| {
                std::iter::once(&entity.name).chain(&entity.aliases).map(|name| flatten(name)).collect()
            })
            .unwrap_or_default()
    }

    fn name(&self, cell: &Cell) -> String {
        let found = match cell {
            Cell::Entity(id) => self.entities.get(id).map(|entity| entity.name.clone()),
            Cell::Document(id) => self.documents.get(id).map(|document| document.key.clone()),
            Cell::Claim(id) => self.claims.get(id).map(Claim::statement),
            Cell::Community(id) => self.communities.get(id).map(|community| community.report.title.clone()),
            Cell::Number(number) => Some(crate::query::answer::table::number(*number as f64 / 1000.0)),
            Cell::Text(text) => Some(text.clone()),
        };
        found.unwrap_or_default()
    }

    /// Documents by their dates, ranked rows as they are, others by how much says them, then by name.
    fn sorted(&self, mut rows: Vec<PlanRow>, form: &Form) -> Vec<PlanRow> {
        let first = |row: &PlanRow| row.cells.first().map(|cell| self.name(cell)).unwrap_or_default();
        let date = |row: &PlanRow| -> Option<Day> {
            let id = row.cells.first().and_then(Cell::id)?;
            self.documents.get(id)?.date.as_ref().map(|period| period.from)
        };
        match form.ask {
            Ask::Path | Ask::First | Ask::Last => {}
            Ask::Most => {
                rows.sort_by_cached_key(|row| (std::cmp::Reverse(row.cells.get(1).cloned()), first(row)));
            }
            Ask::Fewest => rows.sort_by_cached_key(|row| (row.cells.get(1).cloned(), first(row))),
            Ask::List | Ask::Count | Ask::Total => {
                let dated = rows.iter().any(|row| date(row).is_some());
                if dated {
                    rows.sort_by_cached_key(|row| (date(row), first(row)));
                } else {
                    rows.sort_by_cached_key(|row| (std::cmp::Reverse(row.grounds.len()), first(row)));
                }
            }
        }
        rows
    }

    /// A row without its sentences.
    fn described(&self, row: &PlanRow) -> TableRow {
        let first = row.cells.first();
        let path = matches!(row.cells.as_slice(), [Cell::Entity(_), Cell::Text(_), Cell::Entity(_)]);
        let name = match row.cells.as_slice() {
            [one, _, other] if path => format!("{} → {}", self.name(one), self.name(other)),
            cells => cells.first().map(|cell| self.name(cell)).unwrap_or_default(),
        };
        let mut said: Vec<String> = Vec::new();
        for kind in row.grounds.iter().map(|ground| &ground.kind).filter(|kind| !kind.is_empty()) {
            if said.len() < SAID && !said.contains(kind) {
                said.push(kind.clone());
            }
        }
        let date = first
            .and_then(Cell::id)
            .and_then(|id| self.documents.get(id))
            .and_then(|document| document.date.as_ref())
            .map(|period| (period.from, period.to));
        let days: Vec<(Day, Day)> = match date {
            Some(date) => vec![date],
            None => row.grounds.iter().filter_map(|ground| ground.when).collect(),
        };
        TableRow {
            id: first.filter(|_| !path).and_then(Cell::id).cloned(),
            name,
            kind: match first {
                Some(Cell::Entity(id)) if !path => {
                    self.entities.get(id).map(|entity| entity.kind.clone()).unwrap_or_default()
                }
                _ => String::new(),
            },
            number: row.cells.get(1).and_then(thousandths).map(|number| number as f64 / 1000.0),
            said,
            first: days.iter().map(|(from, _)| *from).min(),
            last: days.iter().map(|(_, to)| *to).max(),
            records: row.grounds.len(),
            sources: Vec::new(),
            superseded: Vec::new(),
            cited: Vec::new(),
        }
    }
}
