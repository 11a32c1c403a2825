//! Random plans over random graphs: every store gives the rows that a plain evaluation in memory gives.

use super::fixture::{Subject, claim, document, entity, relationship, subjects, write};
use super::sums::entity_write;
use graphwright::domain::{Day, FiscalCalendar, Id, Period, Record, kind_class, name_key};
use graphwright::index::graph::sum_relationship;
use graphwright::query::plans::time::DaySpan;
use graphwright::query::plans::{Cell, ColumnType, Execution, GroupMeasure, Plan, RowBudget, Side};
use graphwright::stores::graph::{EntityWrite, RelationshipWrite, UnitWrite};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

const NAMES: [&str; 8] = ["Ada", "Bert", "Cora", "Dan", "Acme", "Bolt", "Crux", "Dune"];
/// What says what of whom: type, its direction for "buy" and for "work for" (forward or not, sure or not).
type Says = Option<(bool, bool)>;
const KINDS: [(&str, Says, Says); 6] = [
    ("acquired", Some((true, true)), None),
    ("was acquired by", Some((false, true)), None),
    ("wanted to acquire", Some((true, false)), None),
    ("works for", None, Some((true, true))),
    ("employs", None, Some((false, true))),
    ("", None, None),
];

/// One record of a relationship.
struct Said {
    source: Id,
    target: Id,
    kind: usize,
    document: usize,
}

/// The graph as lists.
#[derive(Default)]
struct World {
    kinds: BTreeMap<Id, String>,
    years: Vec<(Id, Option<i32>)>,
    mentions: BTreeSet<(Id, usize)>,
    said: Vec<Said>,
    claims: Vec<(Id, Id, &'static str, usize)>,
}

type Rows = Vec<(Vec<Cell>, bool)>;

async fn fill(subject: &Subject, seed: u64) -> World {
    let mut random = fastrand::Rng::with_seed(seed);
    let (store, ids) = (subject.store.as_ref(), &subject.ids);
    let of = |name: &str| ids.entity(&name_key(name));
    let mut world = World::default();
    let typed: Vec<&str> = NAMES
        .iter()
        .enumerate()
        .map(|(at, _)| if at < 4 { "person" } else { ["company", ""][random.usize(..2)] })
        .collect();
    for number in 0..random.usize(2..5) {
        let key = format!("{number}.txt");
        let texts: Vec<String> =
            (0..random.usize(1..4)).map(|unit| format!("text {unit} of {number}")).collect();
        let (mut file, units) = document(ids, &key, &texts.iter().map(String::as_str).collect::<Vec<_>>());
        let year = random.bool().then(|| random.i32(2015..2018));
        file.date = year.map(|year| Period::months(year, 1, 12, &year.to_string()));
        store.replace_document(&file, &units).await.unwrap();
        world.years.push((file.id.clone(), year));
        let mut writes: Vec<UnitWrite> = Vec::new();
        for unit in &units {
            let mut records: Vec<Record> = Vec::new();
            let mut named: BTreeSet<usize> = BTreeSet::new();
            for _ in 0..random.usize(0..5) {
                let (one, other) = (random.usize(..8), random.usize(..8));
                if one == other {
                    continue;
                }
                named.extend([one, other]);
                let kind = random.usize(..KINDS.len());
                records.push(relationship(NAMES[one], NAMES[other], KINDS[kind].0, 1));
                world.said.push(Said {
                    source: of(NAMES[one]),
                    target: of(NAMES[other]),
                    kind,
                    document: number,
                });
            }
            if random.bool() {
                let (who, what) = (
                    random.usize(..8),
                    ["It paid 5 dollars.", "It acquired 7 shops.", "It sang."][random.usize(..3)],
                );
                named.insert(who);
                world.claims.push((ids.claim(&unit.id, records.len()), of(NAMES[who]), what, number));
                records.push(claim(NAMES[who], None, what));
            }
            named.insert(random.usize(..8));
            for at in named {
                records.push(entity(NAMES[at], typed[at], ""));
                world.kinds.insert(of(NAMES[at]), typed[at].to_owned());
                world.mentions.insert((of(NAMES[at]), number));
            }
            writes.push(write(ids, unit, &records, &[]));
        }
        store.save_units(&writes).await.unwrap();
    }
    settle(subject).await;
    world
}

/// Sums as the program makes them: plans ask them which relationships are worth reading.
async fn settle(subject: &Subject) {
    let store = subject.store.as_ref();
    loop {
        let dirty = store.dirty_relationships(50).await.unwrap();
        if dirty.is_empty() {
            break;
        }
        let write = |of: &graphwright::domain::RelationshipEvidence| RelationshipWrite {
            id: of.id.clone(),
            relationship: sum_relationship(of),
            summary: None,
            periods: of.periods(),
        };
        store.save_relationships(&dirty.iter().map(write).collect::<Vec<_>>()).await.unwrap();
    }
    loop {
        let dirty = store.dirty_entities(50).await.unwrap();
        if dirty.is_empty() {
            break;
        }
        let writes: Vec<EntityWrite> = dirty.iter().map(entity_write).collect();
        store.save_entities(&writes).await.unwrap();
    }
}

fn span(random: &mut fastrand::Rng) -> DaySpan {
    let year = |year: i32| Period::months(year, 1, 12, "");
    let as_of = Day::new(2016, 12, 31);
    match random.usize(..5) {
        0 => DaySpan::of(&year(2016)),
        1 => DaySpan::since(&year(2016)),
        2 => DaySpan::ending_before(&year(2017)),
        3 => DaySpan { as_of, ..DaySpan::default() },
        _ => DaySpan::default(),
    }
}

fn classes(random: &mut fastrand::Rng) -> Vec<String> {
    match random.usize(..3) {
        0 => vec!["person".to_owned()],
        1 => vec!["organization".to_owned()],
        _ => Vec::new(),
    }
}

fn leaf(random: &mut fastrand::Rng, world: &World) -> Plan {
    let known: Vec<&Id> = world.kinds.keys().collect();
    match random.usize(..4) {
        0 => Plan::Documents,
        1 => Plan::Entities { classes: classes(random) },
        _ => Plan::Named {
            entities: (0..random.usize(1..3)).map(|_| known[random.usize(..known.len())].clone()).collect(),
        },
    }
}

/// A plan that fits together, of so many operators at most.
fn plan(random: &mut fastrand::Rng, world: &World, depth: usize) -> Plan {
    if depth == 0 {
        return leaf(random, world);
    }
    let inner = plan(random, world, depth - 1);
    let columns = inner.columns().unwrap();
    let column = random.usize(..columns.len());
    let input = Box::new(inner.clone());
    match (columns[column], random.usize(..9)) {
        (ColumnType::Entity, 0..=2) => Plan::Related {
            input,
            column,
            wording: ["", "buy", "work for"][random.usize(..3)].to_owned(),
            side: [Side::Subject, Side::Object, Side::Either][random.usize(..3)],
            during: span(random),
        },
        (ColumnType::Entity, 3) => Plan::MentionedIn { input, column, during: span(random) },
        (ColumnType::Entity, 4) => Plan::OfType { input, column, classes: classes(random) },
        (ColumnType::Entity, 5) => {
            let wording = ["", "buy"][random.usize(..2)].to_owned();
            Plan::ClaimsOf { input, column, wording, during: span(random) }
        }
        (ColumnType::Document, 0..=1) => Plan::Mentioning { input, column },
        (ColumnType::Document, 2) => Plan::DatesOf { input, column, years: random.bool() },
        (ColumnType::Claim, 0..=3) => Plan::AmountsOf { input, column },
        (sort, 6) => {
            let right = plan(random, world, depth - 1);
            let other = right.columns().unwrap().iter().position(|other| *other == sort);
            match (other, random.bool()) {
                (Some(other), true) => {
                    Plan::Intersect { left: input, right: Box::new(right), on: (column, other) }
                }
                (Some(other), false) => {
                    Plan::Except { left: input, right: Box::new(right), on: (column, other) }
                }
                (None, _) => inner,
            }
        }
        (_, 7) => Plan::Columns { input, columns: vec![column] },
        (_, _) => {
            let number = columns.iter().position(|sort| *sort == ColumnType::Number);
            let measure = match number {
                Some(number) if random.bool() => GroupMeasure::Sum(number),
                _ => GroupMeasure::Different(random.usize(..columns.len())),
            };
            let grouped = Plan::Group { input, by: column, measure };
            let ordered = Plan::Order { input: Box::new(grouped), column: 1, descending: random.bool() };
            match random.usize(..4) {
                0 => ordered,
                3 => Plan::Bounded {
                    input: Box::new(ordered),
                    column: 1,
                    least: random.u64(0..3),
                    most: random.bool().then(|| random.u64(1..4)),
                },
                1 => Plan::Top { input: Box::new(ordered), count: random.usize(1..3) },
                _ => Plan::Count { input: Box::new(ordered) },
            }
        }
    }
}

/// Rows of equal cells once, sure where any is.
fn once(rows: impl IntoIterator<Item = (Vec<Cell>, bool)>) -> Rows {
    let mut all: BTreeMap<Vec<Cell>, bool> = BTreeMap::new();
    for (cells, sure) in rows {
        *all.entry(cells).or_default() |= sure;
    }
    all.into_iter().collect()
}

/// Whether something of a document lies in a span: sure, unsure, or not.
fn within(world: &World, span: &DaySpan, document: usize) -> Option<bool> {
    let day = |year: i32| (Day::new(year, 1, 1).unwrap(), Day::new(year, 12, 31).unwrap());
    let date = world.years[document].1.map(day);
    if span.as_of.is_some_and(|known| date.is_some_and(|(from, _)| from > known)) {
        return None;
    }
    if span.from.is_none() && span.to.is_none() {
        return Some(true);
    }
    let Some((from, to)) = date else { return Some(false) };
    let inside = span.from.is_none_or(|day| day <= to) && span.to.is_none_or(|day| from <= day);
    inside.then_some(true)
}

fn with(cells: &[Cell], cell: Cell) -> Vec<Cell> {
    cells.iter().cloned().chain([cell]).collect()
}

/// Whether what has no type stands for these classes: the world has none of them, or types at most half of what it holds.
fn types_few(world: &World, classes: &[String]) -> bool {
    let untyped = world.kinds.values().filter(|kind| kind.is_empty()).count();
    let known = world.kinds.values().any(|kind| classes.contains(&kind_class(kind)));
    !known || untyped > 0 && 2 * untyped >= world.kinds.len()
}

fn holds(world: &World, id: &Id, classes: &[String]) -> Option<bool> {
    let kind = world.kinds.get(id)?;
    if kind.is_empty() {
        return Some(types_few(world, classes));
    }
    classes.contains(&kind_class(kind)).then_some(true)
}

/// What a plan gives, by going through the lists.
#[expect(clippy::too_many_lines, reason = "one arm an operator")]
fn expected(world: &World, plan: &Plan) -> Rows {
    let entity = |id: &Id| (vec![Cell::Entity(id.clone())], true);
    match plan {
        Plan::Named { entities } => once(entities.iter().map(entity)),
        Plan::Entities { classes } => {
            let few = types_few(world, classes);
            let of = |kind: &String| {
                classes.is_empty() || classes.contains(&kind_class(kind)) || few && kind.is_empty()
            };
            once(world.kinds.iter().filter(|(_, kind)| of(kind)).map(|(id, _)| entity(id)))
        }
        Plan::Documents => once(world.years.iter().map(|(id, _)| (vec![Cell::Document(id.clone())], true))),
        Plan::Related { input, column, wording, side, during } => {
            let mut rows = Rows::new();
            for (cells, sure) in expected(world, input) {
                for said in &world.said {
                    let says = match wording.as_str() {
                        "" => Some((true, true)),
                        "buy" => KINDS[said.kind].1,
                        _ => KINDS[said.kind].2,
                    };
                    let (Some((forward, done)), Some(inside)) = (says, within(world, during, said.document))
                    else {
                        continue;
                    };
                    let (subject, object) =
                        if forward { (&said.source, &said.target) } else { (&said.target, &said.source) };
                    for (from, to, new) in [(subject, object, Side::Object), (object, subject, Side::Subject)]
                    {
                        let wanted = wording.is_empty() || *side == Side::Either || *side == new;
                        if wanted && cells[*column] == Cell::Entity(from.clone()) {
                            rows.push((with(&cells, Cell::Entity(to.clone())), sure && done && inside));
                        }
                    }
                }
            }
            once(rows)
        }
        Plan::MentionedIn { input, column, during } => {
            once(expected(world, input).into_iter().flat_map(|(cells, sure)| {
                let all = world.mentions.iter().filter(|(id, _)| cells[*column] == Cell::Entity(id.clone()));
                all.filter_map(|(_, document)| {
                    let inside = within(world, during, *document)?;
                    Some((with(&cells, Cell::Document(world.years[*document].0.clone())), sure && inside))
                })
                .collect::<Rows>()
            }))
        }
        Plan::Mentioning { input, column } => {
            once(expected(world, input).into_iter().flat_map(|(cells, sure)| {
                let of = |document: &usize| Cell::Document(world.years[*document].0.clone());
                let all = world.mentions.iter().filter(|(_, document)| cells[*column] == of(document));
                all.map(|(id, _)| (with(&cells, Cell::Entity(id.clone())), sure)).collect::<Rows>()
            }))
        }
        Plan::ClaimsOf { input, column, wording, during } => {
            once(expected(world, input).into_iter().flat_map(|(cells, sure)| {
                let of = world.claims.iter().filter(|(_, who, what, _)| {
                    cells[*column] == Cell::Entity(who.clone())
                        && (wording.is_empty() || what.contains("acquired"))
                });
                of.filter_map(|(id, _, _, document)| {
                    let inside = within(world, during, *document)?;
                    Some((with(&cells, Cell::Claim(id.clone())), sure && inside))
                })
                .collect::<Rows>()
            }))
        }
        Plan::AmountsOf { input, column } => {
            once(expected(world, input).into_iter().filter_map(|(cells, _)| {
                let claim = world.claims.iter().find(|(id, ..)| cells[*column] == Cell::Claim(id.clone()))?;
                let amount = match claim.2 {
                    "It paid 5 dollars." => 5,
                    "It acquired 7 shops." => 7,
                    _ => return None,
                };
                // the claims of this world are suspected, and what is not stated as true is not sure
                Some((with(&cells, Cell::Number(amount * 1000)), false))
            }))
        }
        Plan::DatesOf { input, column, years } => {
            let rows = expected(world, input);
            let place = |cells: &[Cell]| {
                world.years.iter().position(|(id, _)| cells[*column] == Cell::Document(id.clone())).unwrap()
            };
            let undated = !*years && rows.iter().all(|(cells, _)| world.years[place(cells)].1.is_none());
            once(rows.into_iter().filter_map(|(cells, sure)| {
                let at = place(&cells);
                let dated = |year: i32| if *years { year.to_string() } else { format!("{year}-01-01") };
                let text = if undated { Some(format!("{at}.txt")) } else { world.years[at].1.map(dated) };
                Some((with(&cells, Cell::Text(text?)), sure))
            }))
        }
        Plan::OfType { input, column, classes } => {
            let rows = expected(world, input);
            if classes.is_empty() {
                return rows;
            }
            let kept = rows.into_iter().filter_map(|(cells, sure)| {
                let is = holds(world, cells[*column].id()?, classes)?;
                Some((cells, sure && is))
            });
            kept.collect()
        }
        Plan::Intersect { left, right, on } | Plan::Except { left, right, on } => {
            let mut among: BTreeMap<Cell, bool> = BTreeMap::new();
            for (cells, sure) in expected(world, right) {
                *among.entry(cells[on.1].clone()).or_default() |= sure;
            }
            let without = matches!(plan, Plan::Except { .. });
            let kept = expected(world, left).into_iter().filter_map(|(cells, sure)| {
                match (among.get(&cells[on.0]), without) {
                    (Some(there), false) => Some((cells, sure && *there)),
                    (None, false) | (Some(true), true) => None,
                    (Some(false), true) => Some((cells, false)),
                    (None, true) => Some((cells, sure)),
                }
            });
            kept.collect()
        }
        Plan::Columns { input, columns } => once(
            expected(world, input)
                .into_iter()
                .map(|(cells, sure)| (columns.iter().map(|column| cells[*column].clone()).collect(), sure)),
        ),
        Plan::Group { input, by, measure } => {
            let rows = expected(world, input);
            let keys: BTreeSet<Cell> = rows.iter().map(|(cells, _)| cells[*by].clone()).collect();
            let grouped = keys.into_iter().map(|key| {
                let of = || rows.iter().filter(|(cells, _)| cells[*by] == key);
                let any = of().any(|(_, sure)| *sure);
                let counted: BTreeSet<&Vec<Cell>> =
                    of().filter(|(_, sure)| *sure == any).map(|(cells, _)| cells).collect();
                let number = match measure {
                    GroupMeasure::Different(column) => {
                        let different: BTreeSet<&Cell> =
                            counted.iter().map(|cells| &cells[*column]).collect();
                        i64::try_from(different.len()).expect("few") * 1000
                    }
                    GroupMeasure::Sum(column) => counted
                        .iter()
                        .map(|cells| if let Cell::Number(number) = cells[*column] { number } else { 0 })
                        .sum(),
                    GroupMeasure::Grounds => unreachable!("not made"),
                };
                (vec![key, Cell::Number(number)], any)
            });
            grouped.collect()
        }
        Plan::Order { input, column, descending } => {
            let mut rows = expected(world, input);
            rows.sort();
            if *descending {
                rows.sort_by_key(|(cells, sure)| (!*sure, Reverse(cells[*column].clone())));
            } else {
                rows.sort_by_key(|(cells, sure)| (!*sure, cells[*column].clone()));
            }
            rows
        }
        Plan::Bounded { input, column, least, most } => {
            let is_within = |cell: &Cell| {
                (*least..=most.unwrap_or(1_000_000))
                    .any(|number| *cell == Cell::count(usize::try_from(number).unwrap()))
            };
            let rows = expected(world, input);
            rows.into_iter().filter(|(cells, _)| is_within(&cells[*column])).collect()
        }
        Plan::Top { input, count } => {
            let (sure, unsure): (Rows, Rows) =
                expected(world, input).into_iter().partition(|(_, sure)| *sure);
            let last = sure.get(count - 1).map(|(cells, _)| cells.last().cloned());
            let kept = sure
                .iter()
                .enumerate()
                .filter(|(at, (cells, _))| at < count || last == Some(cells.last().cloned()));
            // an unsure one stays where it would be among the first if it were sure
            let reaches = |(cells, _): &(Vec<Cell>, bool)| match (input.as_ref(), &last) {
                (Plan::Order { descending: true, .. }, Some(last)) => cells.last() >= last.as_ref(),
                (Plan::Order { descending: false, .. }, Some(last)) => cells.last() <= last.as_ref(),
                _ => true,
            };
            let unsure = unsure.into_iter().filter(reaches).take(*count);
            kept.map(|(_, row)| row.clone()).chain(unsure).collect()
        }
        Plan::Count { input } => {
            let sure = expected(world, input).iter().filter(|(_, sure)| *sure).count();
            vec![(vec![Cell::count(sure)], true)]
        }
        other => unreachable!("not made: {other:?}"),
    }
}

#[tokio::test]
async fn random_plans_give_what_a_plain_evaluation_gives() {
    let mut rows_seen = 0;
    for seed in 0..6 {
        for subject in subjects("plans").await {
            let world = fill(&subject, seed).await;
            let reader = subject.store.snapshot().await.unwrap();
            let mut random = fastrand::Rng::with_seed(seed + 100);
            for number in 0..60 {
                let plan = plan(&mut random, &world, number % 5);
                let budget = RowBudget::default();
                let mut execution =
                    Execution::new(reader.as_ref(), &subject.ids, FiscalCalendar::default(), budget);
                let found = execution.run(&plan).await.unwrap();
                let found: Rows = found.into_iter().map(|row| (row.cells, row.sure)).collect();
                assert_eq!(found, expected(&world, &plan), "{} seed {seed}: {plan:#?}", subject.backend);
                rows_seen += found.len();
            }
            subject.finish().await;
        }
    }
    assert!(rows_seen > 1000, "{rows_seen} rows: the plans find too little to test anything");
}

#[tokio::test]
async fn a_plan_that_would_read_too_much_is_refused_before_it_reads() {
    for subject in subjects("plans_bound").await {
        let world = fill(&subject, 3).await;
        let reader = subject.store.snapshot().await.unwrap();
        let all = Plan::Entities { classes: Vec::new() };
        let related = Plan::Related {
            input: Box::new(all),
            column: 0,
            wording: String::new(),
            side: Side::Either,
            during: DaySpan::default(),
        };
        let entities = world.kinds.len() as u64;
        let calendar = FiscalCalendar::default();
        let mut execution =
            Execution::new(reader.as_ref(), &subject.ids, calendar, RowBudget::of(entities + 1));
        let error = execution.run(&related).await.unwrap_err();
        assert!(error.to_string().contains("relationships"), "{error}");
        assert_eq!(execution.rows_read(), entities, "{}", subject.backend);
        subject.finish().await;
    }
}

#[tokio::test]
async fn paths_are_shortest_and_pages_of_a_type_are_whole() {
    for subject in subjects("plans_path").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        let (file, units) = document(ids, "path.txt", &["all"]);
        store.replace_document(&file, &units).await.unwrap();
        let mut records: Vec<Record> = NAMES.iter().map(|name| entity(name, "person", "")).collect();
        for (one, other) in
            [("Ada", "Bert"), ("Bert", "Cora"), ("Cora", "Dan"), ("Ada", "Acme"), ("Acme", "Dan")]
        {
            records.push(relationship(one, other, "knows", 1));
        }
        store.save_units(&[write(ids, &units[0], &records, &[])]).await.unwrap();
        settle(&subject).await;
        let (mut named, mut after): (Vec<Id>, Option<Id>) = (Vec::new(), None);
        loop {
            let page = store.entities_of_kind("person", after.as_ref(), 3).await.unwrap();
            let Some(last) = page.last() else { break };
            after = Some(last.id.clone());
            named.extend(page.into_iter().map(|entity| entity.id));
        }
        assert_eq!(named.len(), 8, "{}", subject.backend);
        assert!(named.is_sorted());
        assert_eq!(store.entities_of_kind("place", None, 3).await.unwrap(), []);
        let reader = store.snapshot().await.unwrap();
        let of = |name: &str| ids.entity(&name_key(name));
        let mut execution =
            Execution::new(reader.as_ref(), ids, FiscalCalendar::default(), RowBudget::default());
        let path = |to: &str| Plan::Path { from: of("Ada"), to: of(to), longest: 4 };
        let rows = execution.run(&path("Dan")).await.unwrap();
        let steps: Vec<(Cell, Cell)> =
            rows.iter().map(|row| (row.cells[0].clone(), row.cells[2].clone())).collect();
        let cell = |name: &str| Cell::Entity(of(name));
        assert_eq!(steps, [(cell("Ada"), cell("Acme")), (cell("Acme"), cell("Dan"))], "{}", subject.backend);
        assert!(rows.iter().all(|row| row.grounds.len() == 1));
        assert_eq!(execution.run(&path("Dune")).await.unwrap(), []);
        let claims = store.first_claims_of(&named, 5).await.unwrap();
        assert_eq!(claims, []);
        subject.finish().await;
    }
}

/// Ada is known by many; Bolt leads from her over Crux to Dune.
async fn star(subject: &Subject) {
    let (store, ids) = (subject.store.as_ref(), &subject.ids);
    let (file, units) = document(ids, "star.txt", &["all"]);
    store.replace_document(&file, &units).await.unwrap();
    let mut records: Vec<Record> = NAMES.iter().map(|name| entity(name, "person", "")).collect();
    for other in ["Bert", "Cora", "Dan", "Acme", "Bolt"] {
        records.push(relationship("Ada", other, "knows", 1));
    }
    records.push(relationship("Bolt", "Crux", "knows", 1));
    records.push(relationship("Crux", "Dune", "knows", 1));
    store.save_units(&[write(ids, &units[0], &records, &[])]).await.unwrap();
    settle(subject).await;
}

#[tokio::test]
async fn a_ranking_reads_those_alone_that_may_be_the_first() {
    for subject in subjects("plans_ranking").await {
        star(&subject).await;
        let reader = subject.store.snapshot().await.unwrap();
        let all = Plan::Entities { classes: vec!["person".to_owned()] };
        let wording = "know".to_owned();
        let (side, during) = (Side::Object, DaySpan::default());
        let related = Plan::Related { input: Box::new(all), column: 0, wording, side, during };
        let group = Plan::Group { input: Box::new(related), by: 0, measure: GroupMeasure::Different(1) };
        let ordered = Plan::Order { input: Box::new(group), column: 1, descending: true };
        let first = Plan::Top { input: Box::new(ordered.clone()), count: 1 };
        let run = async |plan: &Plan| {
            let calendar = FiscalCalendar::default();
            let mut execution = Execution::new(reader.as_ref(), &subject.ids, calendar, RowBudget::default());
            let rows = execution.run(plan).await.unwrap();
            (rows, execution.rows_read())
        };
        let ((all, read_for_all), (first, read_for_first)) = (run(&ordered).await, run(&first).await);
        assert_eq!(first.len(), 1, "{}", subject.backend);
        assert_eq!((&first[0].cells, first[0].grounds.len()), (&all[0].cells, 5));
        assert!(read_for_first < read_for_all, "{}: {read_for_first}, {read_for_all}", subject.backend);
        subject.finish().await;
    }
}

#[tokio::test]
async fn a_path_is_looked_for_from_the_end_that_has_fewer_relationships() {
    for subject in subjects("plans_path_bound").await {
        star(&subject).await;
        let reader = subject.store.snapshot().await.unwrap();
        let of = |name: &str| subject.ids.entity(&name_key(name));
        for (from, to) in [("Ada", "Dune"), ("Dune", "Ada")] {
            let plan = Plan::Path { from: of(from), to: of(to), longest: 5 };
            let calendar = FiscalCalendar::default();
            let mut execution = Execution::new(reader.as_ref(), &subject.ids, calendar, RowBudget::of(20));
            let rows = execution.run(&plan).await.unwrap();
            assert_eq!(rows.len(), 3, "{}", subject.backend);
            assert_eq!(
                (rows[0].cells.first(), rows[2].cells.last()),
                (Some(&Cell::Entity(of(from))), Some(&Cell::Entity(of(to))))
            );
            let plan = Plan::Path { from: of(from), to: of(to), longest: 2 };
            assert_eq!(execution.run(&plan).await.unwrap(), []);
        }
        subject.finish().await;
    }
}
