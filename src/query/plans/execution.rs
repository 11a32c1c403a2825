//! Runs a plan through the graph store's interface: what it gives is the same on every store.

use super::algebra::{LONGEST_PATH, Plan, Side};
use super::amounts::amount;
use super::budget::RowBudget;
use super::operators;
use super::ranking::{EntityRanking, least};
use super::reading::{PlanReader, Types, claimed, mention, rows_by_id};
use super::rows::{Cell, PlanRow, RowEvidence, ids_of, merged};
use super::states::StateStatement;
use super::time::{DaySpan, Within, days_in_text};
use super::wording::Wording;
use crate::contradictions::contradict;
use crate::domain::{Claim, ClaimStatus, Entity, FiscalCalendar, Id, Ids, Relationship, kind_class};
use crate::language::questions::stem;
use crate::stores::graph::{GraphReader, MentionEdge};
use anyhow::Result;
use futures::FutureExt;
use futures::future::BoxFuture;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Text units of one read.
const UNITS: usize = 500;
/// Entities of a ranking that are looked at first, twice as many each time until [`UNITS`].
const FIRST_RANKED: usize = 1;
/// Entities of a ranking that are listed first, and how many times as many when those do not show which may be the first.
const LISTED: usize = 1_000;
const FURTHER: usize = 4;
/// Rows that a ranking reads before it is asked whether the rest of it can be read.
const TRIED: u64 = 3_000;
/// Rows that a ranking may read: as many as an embedded store gives within 200 ms.
const MOST_RANKED: u64 = 12_000;
/// Claims of one kind about one entity beyond which none is compared with the others.
const COMPARED: usize = 500;

/// Runs plans over one state of the graph.
pub struct Execution<'a> {
    reading: PlanReader<'a>,
    wordings: BTreeMap<String, Wording>,
    /// Types of relationships that were taken for each wording.
    taken: BTreeMap<String, BTreeSet<String>>,
}

impl<'a> Execution<'a> {
    /// Over a snapshot of the graph, within a bound on rows read.
    pub fn new(
        reader: &'a dyn GraphReader,
        ids: &'a Ids,
        calendar: FiscalCalendar,
        budget: RowBudget,
    ) -> Self {
        Self {
            reading: PlanReader::new(reader, ids, calendar, budget),
            wordings: BTreeMap::new(),
            taken: BTreeMap::new(),
        }
    }

    /// Makes a wording mean further types of relationships.
    pub fn know(&mut self, wording: Wording) {
        self.wordings.insert(wording.written.clone(), wording);
    }

    /// The types of relationships that were taken for each wording of the plans that were run.
    pub fn relationship_types(&self) -> &BTreeMap<String, BTreeSet<String>> {
        &self.taken
    }

    /// Rows that were read so far.
    pub fn rows_read(&self) -> u64 {
        self.reading.budget.read()
    }

    /// Reads the records that rows rest on where sums stood for them: rows that are shown have to be completed before.
    ///
    /// # Errors
    /// What the store says; [`super::budget::TooManyRows`].
    pub async fn complete(&mut self, rows: &mut [PlanRow]) -> Result<()> {
        self.reading.complete(rows.iter_mut().flat_map(|row| &mut row.grounds)).await?;
        for row in rows {
            row.rests_also_on([]);
        }
        Ok(())
    }

    /// Of these entities those that plans have read.
    pub fn known_entities(&self, ids: &BTreeSet<Id>) -> BTreeMap<Id, Arc<Entity>> {
        self.reading.known_entities(ids)
    }

    /// Types of the graph's entities.
    pub(super) fn types(&self) -> Arc<Types<'a>> {
        Arc::clone(&self.reading.types)
    }

    /// The types of relationships that entities have, those of most records first.
    ///
    /// # Errors
    /// What the store says; [`super::budget::TooManyRows`].
    pub async fn relationship_kinds(&mut self, entities: &[Id]) -> Result<Vec<String>> {
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        for relationship in self.reading.relationships(entities).await? {
            let kinds = std::iter::once(&relationship.kind)
                .chain(&relationship.other_kinds)
                .chain(&relationship.reverse_kinds);
            for kind in kinds.filter(|kind| !kind.is_empty()) {
                *counts.entry(kind.clone()).or_default() += relationship.weight;
            }
        }
        let mut kinds: Vec<(String, u32)> = counts.into_iter().collect();
        kinds.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        Ok(kinds.into_iter().map(|(kind, _)| kind).collect())
    }

    /// The rows of a plan.
    ///
    /// # Errors
    /// [`super::algebra::IllTyped`], [`super::budget::TooManyRows`]; what the store says.
    pub async fn run(&mut self, plan: &Plan) -> Result<Vec<PlanRow>> {
        plan.columns()?;
        self.reading.wants_days = plan.is_of_days();
        self.reading.by_sums = plan.is_timeless();
        self.rows(plan).await
    }

    fn rows<'b>(&'b mut self, plan: &'b Plan) -> BoxFuture<'b, Result<Vec<PlanRow>>> {
        async move {
            Ok(match plan {
                Plan::Named { entities } => {
                    let found = self.reading.entities(entities).await?;
                    stored(found.into_keys(), Cell::Entity)
                }
                Plan::Entities { classes } => {
                    stored(self.reading.entities_of(classes).await?.into_iter(), Cell::Entity)
                }
                Plan::Documents => stored(self.reading.all_documents().await?.into_iter(), Cell::Document),
                Plan::Communities => self.communities().await?,
                Plan::Path { from, to, longest } => self.path(from, to, (*longest).min(LONGEST_PATH)).await?,
                Plan::Related { input, column, wording, side, during } => {
                    let rows = self.rows(input).await?;
                    self.related(&rows, *column, wording, *side, during).await?
                }
                Plan::MentionedIn { input, column, during } => {
                    let rows = self.rows(input).await?;
                    self.mentioned_in(&rows, *column, during).await?
                }
                Plan::Mentioning { input, column } => {
                    let rows = self.rows(input).await?;
                    self.mentioning(&rows, *column).await?
                }
                Plan::ClaimsOf { input, column, wording, during } => {
                    let rows = self.rows(input).await?;
                    self.claims_of(&rows, *column, wording, during).await?
                }
                Plan::AmountsOf { input, column } => {
                    let rows = self.rows(input).await?;
                    self.amounts_of(&rows, *column).await?
                }
                Plan::CommunitiesOf { input, column } => {
                    let rows = self.rows(input).await?;
                    self.communities_of(&rows, *column).await?
                }
                Plan::MembersOf { input, column } => {
                    let rows = self.rows(input).await?;
                    self.members_of(&rows, *column).await?
                }
                Plan::DatesOf { input, column, years } => {
                    let rows = self.rows(input).await?;
                    self.dates_of(&rows, *column, *years).await?
                }
                Plan::OfType { input, column, classes } => {
                    let rows = self.rows(input).await?;
                    self.of_type(rows, *column, classes).await?
                }
                Plan::Described { input, column, noun, whole } => {
                    let rows = self.rows(input).await?;
                    self.described(rows, *column, noun, *whole).await?
                }
                Plan::Naming { input, entities } => {
                    let rows = self.rows(input).await?;
                    let known = self.reading.entities(entities).await?;
                    operators::naming(rows, &known.into_values().collect::<Vec<_>>())
                }
                Plan::Utmost { input, last } => operators::utmost(self.rows(input).await?, *last),
                Plan::Held { input, column, held } => {
                    operators::filter_by_succession(self.rows(input).await?, *column, held)
                }
                Plan::Intersect { left, right, on } => {
                    let rows = self.rows(left).await?;
                    operators::intersect(rows, &self.rows(right).await?, *on)
                }
                Plan::Except { left, right, on } => {
                    let rows = self.rows(left).await?;
                    operators::except(rows, &self.rows(right).await?, *on)
                }
                Plan::Union { left, right } => {
                    let mut rows = self.rows(left).await?;
                    rows.extend(self.rows(right).await?);
                    merged(rows)
                }
                Plan::Columns { input, columns } => operators::columns(self.rows(input).await?, columns),
                Plan::Group { input, by, measure } => {
                    operators::group(&self.rows(input).await?, *by, *measure)
                }
                Plan::Order { input, column, descending } => {
                    operators::order(self.rows(input).await?, *column, *descending)
                }
                Plan::Bounded { input, column, least, most } => {
                    operators::bounded(self.rows(input).await?, *column, (*least, *most))
                }
                Plan::Top { input, count } => {
                    let rows = match EntityRanking::of(input) {
                        Some(ranking) => self.greatest(&ranking, *count).await?,
                        None => self.rows(input).await?,
                    };
                    operators::top(rows, *count, is_descending(input))
                }
                Plan::Count { input } => operators::count(self.rows(input).await?),
            })
        }
        .boxed()
    }

    /// The groups of a ranking that may be among the first, the greatest first, read within a bound of its own.
    async fn greatest(&mut self, ranking: &EntityRanking<'_>, count: usize) -> Result<Vec<PlanRow>> {
        let part = self.reading.budget.part(MOST_RANKED);
        let mut whole = std::mem::replace(&mut self.reading.budget, part);
        let found = self.greatest_within(ranking, count).await;
        whole.spend(&self.reading.budget);
        self.reading.budget = whole;
        found
    }

    /// Whether the entities that are left can be read is asked as soon as it shows what the first ones come to.
    async fn greatest_within(&mut self, ranking: &EntityRanking<'_>, count: usize) -> Result<Vec<PlanRow>> {
        let (mut rows, mut at, mut step, mut listed) = (Vec::new(), 0, FIRST_RANKED, LISTED);
        let mut known = self.reading.greatest_of(ranking.classes, ranking.bounded_by, listed).await?;
        let mut asked = false;
        loop {
            let least = least(&rows, count);
            let tried = self.reading.budget.read() >= TRIED;
            // while those behind the last may be among the first, and all before it can be read
            while known.len() == listed
                && (tried || listed - at < step)
                && known.last().is_some_and(|(_, sum)| *sum >= least)
                && rows_of(open(&known, at, least)) <= self.reading.budget.left()
            {
                listed *= FURTHER;
                known = self.reading.greatest_of(ranking.classes, ranking.bounded_by, listed).await?;
            }
            let next: Vec<Id> = open(&known, at, least).take(step).map(|(id, _)| id.clone()).collect();
            if next.is_empty() {
                return Ok(operators::order(rows, 1, true));
            }
            if tried && !asked {
                let needed = rows_of(open(&known, at, least));
                self.reading.budget.ask(needed, "entities that may be the first")?;
                asked = true;
            }
            at += next.len();
            step = (step * 2).min(UNITS);
            rows.extend(self.rows(&ranking.over(next)).await?);
        }
    }

    fn wording(&self, written: &str) -> Wording {
        self.wordings.get(written).cloned().unwrap_or_else(|| Wording::read(written))
    }

    async fn related(
        &mut self,
        rows: &[PlanRow],
        column: usize,
        written: &str,
        side: Side,
        during: &DaySpan,
    ) -> Result<Vec<PlanRow>> {
        let wording = self.wording(written);
        let relationships = self.reading.relationships(&ids_of(rows, column)).await?;
        let statements = self.reading.statements(&relationships, &wording, during).await?;
        let by_id = rows_by_id(rows, column);
        let mut found = Vec::new();
        for StateStatement { symmetric, ground, .. } in statements {
            let [subject, object] = ground.about.as_slice() else { continue };
            let both = symmetric || side == Side::Either;
            for (from, to, new) in [(subject, object, Side::Object), (object, subject, Side::Subject)] {
                let Some(rows) = by_id.get(from).filter(|_| both || side == new) else { continue };
                found.extend(rows.iter().map(|row| row.with(Cell::Entity(to.clone()), Some(ground.clone()))));
                if !written.is_empty() && ground.sure && !ground.kind.is_empty() {
                    self.taken.entry(written.to_owned()).or_default().insert(ground.kind.clone());
                }
            }
        }
        Ok(merged(found))
    }

    async fn mentioned_in(
        &mut self,
        rows: &[PlanRow],
        column: usize,
        during: &DaySpan,
    ) -> Result<Vec<PlanRow>> {
        let ids = ids_of(rows, column);
        let entities = self.reading.entities(&ids).await?;
        let mentions = self.mentions(&entities).await?;
        let units: BTreeSet<Id> = mentions.iter().map(|mention| mention.text_unit.clone()).collect();
        let documents = self.reading.documents_of_units(&units.into_iter().collect::<Vec<_>>()).await?;
        let by_id = rows_by_id(rows, column);
        let mut found = Vec::new();
        for edge in mentions {
            let (Some(document), Some(entity)) = (documents.get(&edge.text_unit), entities.get(&edge.entity))
            else {
                continue;
            };
            let date = self.reading.date(document);
            let within = during.holds(None, date);
            if within == Within::No {
                continue;
            }
            let ground = mention(entity, &edge.text_unit, date, within == Within::Yes);
            let cell = Cell::Document(document.clone());
            let rows = by_id.get(&edge.entity).into_iter().flatten();
            found.extend(rows.map(|row| row.with(cell.clone(), Some(ground.clone()))));
        }
        Ok(merged(found))
    }

    /// All mentions of entities.
    async fn mentions(&mut self, entities: &BTreeMap<Id, Arc<Entity>>) -> Result<Vec<MentionEdge>> {
        let count = |entity: &Arc<Entity>| u64::from(entity.text_unit_count);
        self.reading.budget.take(entities.values().map(count).sum(), "mentions")?;
        let mut found = Vec::new();
        let all: Vec<&Arc<Entity>> = entities.values().collect();
        for part in all.chunks(UNITS) {
            let ids: Vec<Id> = part.iter().map(|entity| entity.id.clone()).collect();
            let most = part.iter().map(|entity| entity.text_unit_count).max().unwrap_or_default();
            found.extend(self.reading.reader.mentions_of_entities(&ids, most as usize).await?);
        }
        Ok(found)
    }

    async fn mentioning(&mut self, rows: &[PlanRow], column: usize) -> Result<Vec<PlanRow>> {
        let by_id = rows_by_id(rows, column);
        let documents: BTreeSet<Id> = by_id.keys().map(|id| (*id).clone()).collect();
        self.reading.read_documents(documents.clone()).await?;
        let mut found = Vec::new();
        for document in documents {
            let Some(count) = self.reading.document(&document).map(|known| known.text_unit_count) else {
                continue;
            };
            self.reading.budget.take(u64::from(count), "text units")?;
            let units = self.reading.reader.text_units_of(&document).await?;
            let units: Vec<Id> = units.into_iter().map(|unit| unit.unit.id).collect();
            for part in units.chunks(UNITS) {
                let edges = self.reading.reader.mentions_in_units(part).await?;
                self.reading.budget.take(edges.len() as u64, "mentions")?;
                let ids: BTreeSet<Id> = edges.iter().map(|edge| edge.entity.clone()).collect();
                let entities = self.reading.entities(&ids.into_iter().collect::<Vec<_>>()).await?;
                let date = self.reading.date(&document);
                for edge in edges {
                    let Some(entity) = entities.get(&edge.entity) else { continue };
                    let ground = mention(entity, &edge.text_unit, date, true);
                    let rows = by_id.get(&document).into_iter().flatten();
                    found.extend(
                        rows.map(|row| row.with(Cell::Entity(edge.entity.clone()), Some(ground.clone()))),
                    );
                }
            }
        }
        Ok(merged(found))
    }

    async fn claims_of(
        &mut self,
        rows: &[PlanRow],
        column: usize,
        written: &str,
        during: &DaySpan,
    ) -> Result<Vec<PlanRow>> {
        let wording = self.wording(written);
        let claims = self.reading.claims(&ids_of(rows, column)).await?;
        let units: BTreeSet<Id> = claims.iter().map(|claim| claim.text_unit.clone()).collect();
        let documents = self.reading.documents_of_units(&units.into_iter().collect::<Vec<_>>()).await?;
        let by_id = rows_by_id(rows, column);
        let written =
            |claim: &Claim| documents.get(&claim.text_unit).and_then(|document| self.reading.date(document));
        let mut alike: BTreeMap<(&Id, &str), Vec<&Claim>> = BTreeMap::new();
        for claim in &claims {
            alike.entry((&claim.subject, claim.kind.as_str())).or_default().push(claim);
        }
        let mut found = Vec::new();
        for claim in &claims {
            let fit = wording.fits(&claim.kind).or_else(|| wording.fits(&claim.description));
            let Some(fit) = fit else { continue };
            let date = written(claim);
            let when = dates_of(claim, self.reading.calendar);
            let within = during.holds(when, date);
            if within == Within::No {
                continue;
            }
            let others =
                alike.get(&(&claim.subject, claim.kind.as_str())).filter(|all| all.len() <= COMPARED);
            let later = others
                .into_iter()
                .flatten()
                .filter(|other| during.holds(None, written(other)) != Within::No && contradict(claim, other))
                .filter_map(|other| Some((written(other)?, other)))
                .filter(|((from, _), _)| date.is_some_and(|(_, to)| *from > to));
            let later = later.min_by_key(|(date, other)| (*date, &other.id));
            let ground = RowEvidence {
                written: date,
                dated: when.is_some(),
                superseded: later.map(|(date, other)| Box::new(claimed(other, Some(date), true))),
                ..claimed(claim, when.or(date), fit.sure && within == Within::Yes)
            };
            let rows = by_id.get(&claim.subject).into_iter().flatten();
            found.extend(rows.map(|row| row.with(Cell::Claim(claim.id.clone()), Some(ground.clone()))));
        }
        Ok(merged(found))
    }

    async fn amounts_of(&mut self, rows: &[PlanRow], column: usize) -> Result<Vec<PlanRow>> {
        let ids = ids_of(rows, column);
        self.reading.budget.take(ids.len() as u64, "claims")?;
        let claims = self.reading.reader.claims_by_id(&ids).await?;
        let amounts: BTreeMap<Id, (i64, bool)> = claims
            .into_iter()
            .filter_map(|claim| {
                let number = amount(&claim.description)?;
                Some((claim.id, (number, claim.status == ClaimStatus::True)))
            })
            .collect();
        let found = rows.iter().filter_map(|row| {
            let (number, holds) = amounts.get(row.cells.get(column)?.id()?)?;
            let mut row = row.with(Cell::Number(*number), None);
            // what a text only suspects, or denies, is not added up
            row.sure &= holds;
            Some(row)
        });
        Ok(merged(found))
    }

    async fn communities(&mut self) -> Result<Vec<PlanRow>> {
        let state = self.reading.reader.state().await?;
        self.reading.budget.take(self.reading.reader.counts().await?.communities, "communities")?;
        let communities = self.reading.reader.community_outlines(state.generation).await?;
        let ids: BTreeSet<Id> = communities.into_iter().map(|community| community.id).collect();
        Ok(stored(ids.into_iter(), Cell::Community))
    }

    async fn communities_of(&mut self, rows: &[PlanRow], column: usize) -> Result<Vec<PlanRow>> {
        let ids = ids_of(rows, column);
        self.reading.budget.take(ids.len() as u64, "communities")?;
        let generation = self.reading.reader.state().await?.generation;
        let pairs = self.reading.reader.communities_of(&ids, generation).await?;
        self.reading.budget.take(pairs.len() as u64, "communities")?;
        let by_id = rows_by_id(rows, column);
        let found = pairs.iter().flat_map(|(entity, community)| {
            let rows = by_id.get(entity).into_iter().flatten();
            rows.map(move |row| row.with(Cell::Community(community.clone()), None))
        });
        Ok(merged(found))
    }

    async fn members_of(&mut self, rows: &[PlanRow], column: usize) -> Result<Vec<PlanRow>> {
        let ids = ids_of(rows, column);
        self.reading.budget.take(ids.len() as u64, "communities")?;
        let communities = self.reading.reader.communities_by_id(&ids).await?;
        self.reading.budget.take(communities.iter().map(|c| c.members.len() as u64).sum(), "members")?;
        let by_id = rows_by_id(rows, column);
        let found = communities.iter().flat_map(|community| {
            let rows = by_id.get(&community.id).into_iter().flatten();
            rows.flat_map(move |row| {
                community.members.iter().map(move |member| row.with(Cell::Entity(member.clone()), None))
            })
        });
        Ok(merged(found))
    }

    async fn dates_of(&mut self, rows: &[PlanRow], column: usize, years: bool) -> Result<Vec<PlanRow>> {
        self.reading.read_documents(ids_of(rows, column).into_iter().collect()).await?;
        let date = |row: &PlanRow| self.reading.date(row.cells.get(column)?.id()?);
        if !years && rows.iter().all(|row| date(row).is_none()) {
            // chapters have no dates: they stand in the order of their keys
            let keyed = rows.iter().filter_map(|row| {
                let document = self.reading.document(row.cells.get(column)?.id()?)?;
                Some(row.with(Cell::Text(document.key.clone()), None))
            });
            return Ok(merged(keyed));
        }
        let found = rows.iter().filter_map(|row| {
            let (from, _) = date(row)?;
            let day = if years { format!("{:04}", from.year()) } else { from.to_string() };
            Some(row.with(Cell::Text(day), None))
        });
        Ok(merged(found))
    }

    /// Rows whose entity is of a class. One without a type may be: it stays where the graph knows none of that class, or
    /// types hardly any entity, and is unsure else.
    async fn of_type(
        &mut self,
        rows: Vec<PlanRow>,
        column: usize,
        classes: &[String],
    ) -> Result<Vec<PlanRow>> {
        if classes.is_empty() {
            return Ok(rows);
        }
        let entities = self.reading.entities(&ids_of(&rows, column)).await?;
        let is_open = self.reading.types.leave_open(classes).await?;
        let kept = rows.into_iter().filter_map(|mut row| {
            let entity = entities.get(row.cells.get(column)?.id()?)?;
            if entity.kind.is_empty() {
                row.sure &= is_open;
                return Some(row);
            }
            classes.contains(&kind_class(&entity.kind)).then_some(row)
        });
        Ok(kept.collect())
    }

    async fn described(
        &mut self,
        rows: Vec<PlanRow>,
        column: usize,
        noun: &str,
        whole: bool,
    ) -> Result<Vec<PlanRow>> {
        let entities = self.reading.entities(&ids_of(&rows, column)).await?;
        let wanted = stem(&noun.to_lowercase());
        let says = |text: &str| {
            let flat = text.to_lowercase();
            !noun.is_ascii() && flat.contains(noun)
                || flat.split(|c: char| !c.is_alphanumeric()).any(|word| stem(word) == wanted)
        };
        let described =
            |entity: &Entity| says(&entity.kind) || says(&entity.description) || says(&entity.name);
        // where nothing tells of any what it is, each may be that
        let untold = whole && !entities.values().any(|entity| described(entity));
        let kept = rows.into_iter().filter_map(|mut row| {
            let entity = entities.get(row.cells.get(column)?.id()?)?;
            row.sure &= described(entity) || untold && entity.kind.is_empty();
            Some(row)
        });
        Ok(kept.collect())
    }

    /// The shortest path, looked for from both ends at once; of several the first by ids. Of the two borders the one whose
    /// entities have fewer relationships is crossed first, so that what everybody is related to is read last.
    async fn path(&mut self, from: &Id, to: &Id, longest: usize) -> Result<Vec<PlanRow>> {
        let mut ends = [Reached::of(from), Reached::of(to)];
        let mut joins: BTreeMap<Id, BTreeMap<Id, Relationship>> = BTreeMap::new();
        while !ends[0].meets(&ends[1]) {
            let taken: usize = ends.iter().map(|end| end.steps).sum();
            if taken == longest || ends.iter().any(|end| end.border.is_empty()) {
                return Ok(Vec::new());
            }
            let [one, other] = [self.degrees(&ends[0].border).await?, self.degrees(&ends[1].border).await?];
            let end = &mut ends[usize::from(other < one)];
            let relationships = self.reading.relationships(&end.border).await?;
            end.cross(&relationships);
            for relationship in relationships {
                let (source, target) = (relationship.source.clone(), relationship.target.clone());
                joins.entry(target.clone()).or_default().insert(source.clone(), relationship.clone());
                joins.entry(source).or_default().insert(target, relationship);
            }
        }
        let mut rows = Vec::new();
        for ids in first_path(&ends, &joins, from).windows(2) {
            let [before, behind] = ids else { continue };
            let Some(relationship) = joins.get(before).and_then(|joined| joined.get(behind)) else {
                continue;
            };
            rows.push(self.step(before, relationship, behind).await?);
        }
        Ok(rows)
    }

    /// Relationships that entities have together.
    async fn degrees(&mut self, entities: &[Id]) -> Result<u64> {
        let known = self.reading.entities(entities).await?;
        Ok(known.values().map(|entity| u64::from(entity.degree)).sum())
    }

    async fn step(&mut self, before: &Id, relationship: &Relationship, behind: &Id) -> Result<PlanRow> {
        let all = Wording::default();
        let of = std::slice::from_ref(relationship);
        let statements = self.reading.statements(of, &all, &DaySpan::default()).await?;
        let cells = vec![
            Cell::Entity(before.clone()),
            Cell::Text(relationship.kinds()),
            Cell::Entity(behind.clone()),
        ];
        let mut row = PlanRow { cells, grounds: Vec::new(), sure: true };
        row.rests_also_on(statements.into_iter().map(|statement| statement.ground));
        Ok(row)
    }
}

/// What is reached from one end of a path.
struct Reached {
    /// Steps to each entity.
    distances: BTreeMap<Id, usize>,
    /// The entities that are as many steps away as were taken.
    border: Vec<Id>,
    steps: usize,
}

impl Reached {
    fn of(end: &Id) -> Self {
        Self { distances: BTreeMap::from([(end.clone(), 0)]), border: vec![end.clone()], steps: 0 }
    }

    /// Takes a step along all relationships of the border.
    fn cross(&mut self, relationships: &[Relationship]) {
        self.steps += 1;
        let inside: BTreeSet<Id> = std::mem::take(&mut self.border).into_iter().collect();
        let mut next = BTreeSet::new();
        for Relationship { source, target, .. } in relationships {
            for (one, other) in [(source, target), (target, source)] {
                if inside.contains(one) && !self.distances.contains_key(other) {
                    next.insert(other.clone());
                }
            }
        }
        self.distances.extend(next.iter().map(|id| (id.clone(), self.steps)));
        self.border = next.into_iter().collect();
    }

    fn meets(&self, other: &Self) -> bool {
        self.border.iter().any(|id| other.distances.contains_key(id))
    }

    fn is_at(&self, id: &Id, steps: usize) -> bool {
        self.distances.get(id) == Some(&steps)
    }
}

/// The entities of the first of the shortest paths from where the first end began, where the two ends have met.
fn first_path(
    [one, other]: &[Reached; 2],
    joins: &BTreeMap<Id, BTreeMap<Id, Relationship>>,
    from: &Id,
) -> Vec<Id> {
    let next_to = |id: &Id| joins.get(id).into_iter().flat_map(BTreeMap::keys).cloned().collect::<Vec<_>>();
    let met = one.distances.iter().filter(|(id, steps)| **steps == one.steps && other.is_at(id, other.steps));
    // of each number of steps those entities that lie on a shortest path: back from where the ends met, then on
    let mut layers: Vec<BTreeSet<Id>> = vec![met.map(|(id, _)| id.clone()).collect()];
    for steps in (0..one.steps).rev() {
        let behind = layers.first().into_iter().flatten();
        let layer = behind.flat_map(next_to).filter(|id| one.is_at(id, steps)).collect();
        layers.insert(0, layer);
    }
    for steps in (0..other.steps).rev() {
        let before = layers.last().into_iter().flatten();
        let layer = before.flat_map(next_to).filter(|id| other.is_at(id, steps)).collect();
        layers.push(layer);
    }
    let mut path = vec![from.clone()];
    for layer in layers.iter().skip(1) {
        let next = path.last().map(next_to).unwrap_or_default();
        path.extend(next.into_iter().find(|id| layer.contains(id)));
    }
    path
}

/// The entities of a ranking from a place on that may be among the first.
fn open(known: &[(Id, u32)], at: usize, least: u32) -> impl Iterator<Item = &(Id, u32)> {
    known.iter().skip(at).take_while(move |(_, sum)| *sum >= least)
}

/// Rows that entities take at least: as many as their sums, and one each.
fn rows_of<'a>(entities: impl Iterator<Item = &'a (Id, u32)>) -> u64 {
    entities.map(|(_, sum)| 1 + u64::from(*sum)).sum()
}

/// Whether rows come with the greatest first, or the smallest; nothing where they are not ordered.
fn is_descending(plan: &Plan) -> Option<bool> {
    match plan {
        Plan::Order { descending, .. } => Some(*descending),
        _ => None,
    }
}

fn stored(ids: impl Iterator<Item = Id>, cell: fn(Id) -> Cell) -> Vec<PlanRow> {
    ids.map(|id| PlanRow::stored(cell(id))).collect()
}

/// First and last day that a claim speaks of.
fn dates_of(claim: &Claim, calendar: FiscalCalendar) -> Option<(crate::domain::Day, crate::domain::Day)> {
    let read = |date: &str| crate::language::dates::date_of(date, calendar);
    let (from, to) = (read(&claim.start_date), read(&claim.end_date));
    match (from, to) {
        (Some(from), Some(to)) => Some((from.from, to.to)),
        (Some(one), None) | (None, Some(one)) => Some((one.from, one.to)),
        (None, None) => days_in_text(&claim.description, calendar),
    }
}
