//! What a report is written from: the community's records in order of rank, as many as the budget holds, and
//! where they do not all fit, sub-communities' reports in place of their records (the paper, section 2.6).

use super::claims::ShownClaims;
use super::repeats::beyond_ends;
use crate::config::ReportStyle;
use crate::domain::{Entity, Id, RecordKind, RecordRef, Relationship, Report, fingerprint};
use crate::language::one_line;
use crate::tokens::Tokens;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// A sub-community whose report may stand in for its records.
#[derive(Clone, Debug)]
pub struct SubCommunity {
    /// Its id.
    pub id: Id,
    /// Its members, sorted.
    pub members: Vec<Id>,
    /// Its report.
    pub written: Report,
    /// The same as text.
    pub report: String,
    /// Whether the report was put together without a model.
    pub composed: bool,
    /// Tokens of all its records.
    pub record_tokens: u64,
}

/// Records of one community, everything that may be shown.
#[derive(Clone, Debug)]
pub struct CommunityRecords<'a> {
    /// Relationships inside the community in order of rank: sum of both ends' degrees inside it, descending, then
    /// weight, then id.
    pub relationships: Vec<&'a Relationship>,
    /// Entities by id; at least the ends of `relationships`, and all members where there are no relationships.
    pub entities: &'a BTreeMap<Id, Entity>,
    /// Members that may be shown without a relationship, in order of rank.
    pub loose: Vec<&'a Entity>,
    /// Relationships that lead out of the community, the strongest first; where they are to be shown.
    pub leaving: Vec<&'a Relationship>,
    /// Claims by subject.
    pub claims: &'a ShownClaims,
    /// True where the community has more relationships than are given.
    pub cut: bool,
    /// Tokens of these records' lines, as far as they have been counted.
    pub costs: &'a Costs,
    /// How they are shown.
    pub style: ReportStyle,
}

/// What is added to the tokens of a line: the number in front and the border behind.
const BORDER_TOKENS: u64 = 8;

/// Tokens that records take as lines of a report's input: counted once for the reports of all levels that may show them.
#[derive(Clone, Debug, Default)]
pub struct Costs {
    /// Of an entity with its claims, or of a relationship.
    of: FxHashMap<Id, u64>,
}

impl Costs {
    /// Counts the tokens of records that are not counted yet, on all cores.
    pub fn count(
        &mut self,
        entities: &BTreeMap<Id, Entity>,
        relationships: &BTreeMap<Id, Relationship>,
        claims: &ShownClaims,
        (tokens, style): (Tokens, ReportStyle),
    ) {
        let new: Vec<&Entity> =
            entities.values().filter(|entity| !self.of.contains_key(&entity.id)).collect();
        let counted: Vec<(Id, u64)> = new
            .into_par_iter()
            .map(|entity| (entity.id.clone(), entity_cost(entity, claims, (tokens, style))))
            .collect();
        self.of.extend(counted);
        let new: Vec<&Relationship> =
            relationships.values().filter(|one| !self.of.contains_key(&one.id)).collect();
        let counted: Vec<(Id, u64)> = new
            .into_par_iter()
            .filter_map(|one| {
                let ends = (entities.get(&one.source)?, entities.get(&one.target)?);
                Some((one.id.clone(), line_cost(&relationship_line(one, ends.0, ends.1), tokens)))
            })
            .collect();
        self.of.extend(counted);
    }
}

fn line_cost(line: &str, tokens: Tokens) -> u64 {
    tokens.count(line) as u64 + BORDER_TOKENS
}

fn entity_cost(entity: &Entity, claims: &ShownClaims, (tokens, style): (Tokens, ReportStyle)) -> u64 {
    entity_rows(entity, claims, style).iter().map(|(_, _, line)| line_cost(line, tokens)).sum()
}

fn relationship_line(relationship: &Relationship, source: &Entity, target: &Entity) -> String {
    let names = (one_line(&source.name), one_line(&target.name));
    let kinds = one_line(&relationship.kinds());
    format!("{} | {} | {kinds} | {}", names.0, names.1, one_line(&relationship.description))
}

/// The line of a relationship without what the rows of its ends say, in the lean style; nothing where they say none of it.
fn shorter_line(
    style: ReportStyle,
    relationship: &Relationship,
    (source, target): (&Entity, &Entity),
    told: [bool; 2],
) -> Option<String> {
    // without a type the description alone says what joins the two
    if style == ReportStyle::Paper || relationship.kinds().is_empty() {
        return None;
    }
    let description = beyond_ends(relationship, [source, target], told);
    if description.len() >= relationship.description.trim().len() {
        return None;
    }
    Some(relationship_line(&Relationship { description, ..relationship.clone() }, source, target))
}

/// As version 1 of the line said it, for the fingerprints of reports that were written from such lines.
fn untyped_line(relationship: &Relationship, source: &Entity, target: &Entity) -> String {
    let names = (one_line(&source.name), one_line(&target.name));
    format!("{} | {} | {}", names.0, names.1, one_line(&relationship.description))
}

/// As [`relationship_line`], of one that leads out of the community: what joins the two, without how the text tells it.
fn leaving_line(relationship: &Relationship, source: &Entity, target: &Entity) -> String {
    let kinds = one_line(&relationship.kinds());
    if kinds.is_empty() {
        return relationship_line(relationship, source, target);
    }
    format!("{} | {} | {kinds} | ", one_line(&source.name), one_line(&target.name))
}

/// The line of an entity that a report tells of which is shown: the report of that number.
fn told_row(entity: &Entity, report: usize) -> (RecordKind, Id, String) {
    let line = format!("{} | {} | see report {report}", one_line(&entity.name), one_line(&entity.kind));
    (RecordKind::Entities, entity.id.clone(), line)
}

/// An entity's line and those of its claims.
fn entity_rows(entity: &Entity, claims: &ShownClaims, style: ReportStyle) -> Vec<(RecordKind, Id, String)> {
    let name = one_line(&entity.name);
    let line = format!("{name} | {} | {}", one_line(&entity.kind), one_line(&entity.description));
    let mut rows = vec![(RecordKind::Entities, entity.id.clone(), line)];
    for claim in claims.get(&entity.id).into_iter().flatten() {
        rows.push((RecordKind::Claims, claim.id.clone(), format!("{name} | {}", claim.row(style))));
    }
    rows
}

impl<'a> CommunityRecords<'a> {
    fn entity_cost(&self, entity: &Entity, tokens: Tokens) -> u64 {
        let known = self.costs.of.get(&entity.id).copied();
        known.unwrap_or_else(|| entity_cost(entity, self.claims, (tokens, self.style)))
    }

    fn relationship_cost(&self, one: &Relationship, ends: (&Entity, &Entity), tokens: Tokens) -> u64 {
        let known = self.costs.of.get(&one.id).copied();
        known.unwrap_or_else(|| line_cost(&relationship_line(one, ends.0, ends.1), tokens))
    }

    fn ends(&self, relationship: &Relationship) -> Option<(&'a Entity, &'a Entity)> {
        Some((self.entities.get(&relationship.source)?, self.entities.get(&relationship.target)?))
    }

    /// Tokens of all records but those that `hidden` says of the ends.
    fn tokens(&self, hidden: impl Fn(&Id, &Id) -> bool, tokens: Tokens) -> u64 {
        let mut seen: FxHashSet<&Id> = FxHashSet::default();
        let mut sum = 0;
        for relationship in &self.relationships {
            let Some(ends) = self.ends(relationship) else { continue };
            if hidden(&relationship.source, &relationship.target) {
                continue;
            }
            for entity in [ends.0, ends.1] {
                if seen.insert(&entity.id) {
                    sum += self.entity_cost(entity, tokens);
                }
            }
            sum += self.relationship_cost(relationship, ends, tokens);
        }
        for entity in &self.loose {
            if !hidden(&entity.id, &entity.id) && seen.insert(&entity.id) {
                sum += self.entity_cost(entity, tokens);
            }
        }
        sum
    }
}

/// The text that a report is written from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReportContext {
    /// Sections with one record a line, each with its number.
    pub text: String,
    /// Which record each number is, by kind; number n is at place n − 1.
    pub shown: BTreeMap<RecordKind, Vec<Id>>,
    /// Relationships among those shown that lead out of the community.
    pub leaving: BTreeSet<Id>,
    /// Claims that a claim shown stands for, itself included, where it is more than one.
    pub claims_of: BTreeMap<Id, Vec<Id>>,
    /// Fingerprint of everything shown, without ids or numbers of anything outside.
    pub fingerprint: String,
    /// The fingerprint that the same records had before relationships were shown with their types; none with claims,
    /// which were shown otherwise.
    pub earlier_fingerprint: Option<String>,
    /// The fingerprints that the same records have in the paper's style, where this is another.
    pub paper: Vec<String>,
    /// Tokens of the text.
    pub tokens: u64,
    /// Tokens that all records of the community would need.
    pub record_tokens: u64,
}

impl ReportContext {
    /// Takes note of what the claims that are shown stand for.
    pub fn stand_for(&mut self, claims: &ShownClaims) {
        let shown: BTreeSet<&Id> = self.shown.get(&RecordKind::Claims).into_iter().flatten().collect();
        for claim in claims.values().flatten() {
            if !claim.stands_for.is_empty() && shown.contains(&claim.id) {
                self.claims_of.insert(claim.id.clone(), claim.stands_for.clone());
            }
        }
    }

    /// The records that stand behind a number of a kind: one, or all claims that a summary of claims is of.
    pub fn records(&self, kind: RecordKind, number: usize) -> Vec<RecordRef> {
        let Some(one) = self.record(kind, number) else { return Vec::new() };
        match self.claims_of.get(&one.id).filter(|_| kind == RecordKind::Claims) {
            Some(all) => all.iter().map(|id| RecordRef { kind, id: id.clone() }).collect(),
            None => vec![one],
        }
    }

    /// The record that stands behind a number of a kind.
    pub fn record(&self, kind: RecordKind, number: usize) -> Option<RecordRef> {
        let id = self.shown.get(&kind)?.get(number.checked_sub(1)?)?;
        Some(RecordRef { kind, id: id.clone() })
    }
}

/// Packs one community's context.
pub fn pack(
    records: &CommunityRecords<'_>,
    children: &[SubCommunity],
    tokens: Tokens,
    budget: usize,
) -> ReportContext {
    let budget = budget as u64;
    if records.style == ReportStyle::Lean && children.len() > 1 {
        let mut context = with_shorter(records, children, tokens, budget);
        let all = records.tokens(|_, _| false, tokens);
        let parts = children.iter().map(|child| child.record_tokens).sum();
        context.record_tokens = if records.cut { all.max(parts) } else { all };
        return context;
    }
    let all = records.tokens(|_, _| false, tokens);
    let mut record_tokens = all;
    if records.cut {
        // more than was given: what the children need is the better estimate
        record_tokens = record_tokens.max(children.iter().map(|c| c.record_tokens).sum());
    }
    let mut context = if all <= budget && !records.cut {
        show(records, &[], tokens, u64::MAX)
    } else {
        with_reports(records, children, tokens, budget)
    };
    context.record_tokens = record_tokens;
    context
}

/// Shows the report of each sub-community whose records are longer than it, in place of them.
fn with_shorter(
    records: &CommunityRecords<'_>,
    children: &[SubCommunity],
    tokens: Tokens,
    budget: u64,
) -> ReportContext {
    let is_shorter =
        |child: &&SubCommunity| line_cost(&one_line(&child.report), tokens) < child.record_tokens;
    let mut shown: Vec<&SubCommunity> =
        children.iter().filter(|child| !child.composed).filter(is_shorter).collect();
    shown.sort_by(|a, b| b.record_tokens.cmp(&a.record_tokens).then_with(|| a.id.cmp(&b.id)));
    let hidden = |a: &Id, b: &Id| {
        shown.iter().any(|c| c.members.binary_search(a).is_ok() && c.members.binary_search(b).is_ok())
    };
    let reports: u64 = shown.iter().map(|child| line_cost(&one_line(&child.report), tokens)).sum();
    if records.cut || reports + records.tokens(hidden, tokens) > budget {
        return with_reports(records, children, tokens, budget);
    }
    show(records, &shown, tokens, budget)
}

/// Shows reports of as many sub-communities in place of their records as it takes, those of most records first.
fn with_reports(
    records: &CommunityRecords<'_>,
    children: &[SubCommunity],
    tokens: Tokens,
    budget: u64,
) -> ReportContext {
    let mut ranked: Vec<&SubCommunity> = children.iter().collect();
    ranked.sort_by(|a, b| b.record_tokens.cmp(&a.record_tokens).then_with(|| a.id.cmp(&b.id)));
    let mut holders: FxHashMap<&Id, usize> = FxHashMap::default();
    for (place, child) in ranked.iter().enumerate() {
        holders.extend(child.members.iter().map(|member| (member, place)));
    }
    let holder = |id: &Id| holders.get(id).copied().unwrap_or(usize::MAX);
    let mut reports = 0;
    for chosen in 0..=ranked.len() {
        let hidden = |a: &Id, b: &Id| holder(a) < chosen && holder(a) == holder(b);
        let needed = reports + records.tokens(hidden, tokens);
        if needed <= budget && !(records.cut && chosen < ranked.len()) {
            return show(records, ranked.get(..chosen).unwrap_or_default(), tokens, u64::MAX);
        }
        reports += ranked.get(chosen).map_or(0, |child| line_cost(&one_line(&child.report), tokens));
    }
    show(records, &ranked, tokens, budget)
}

/// Shows reports for the chosen sub-communities and records for everything else, until the budget is full.
fn show(
    records: &CommunityRecords<'_>,
    replaced: &[&SubCommunity],
    tokens: Tokens,
    budget: u64,
) -> ReportContext {
    let mut page = ReportPage::new(tokens, budget);
    for child in replaced {
        page.add(RecordKind::Reports, &child.id, &one_line(&child.report));
    }
    let hidden = |a: &Id, b: &Id| {
        replaced.iter().any(|c| c.members.binary_search(a).is_ok() && c.members.binary_search(b).is_ok())
    };
    let told = |id: &Id| {
        let holds = |child: &&SubCommunity| child.members.binary_search(id).is_ok();
        replaced.iter().position(holds).filter(|_| records.style == ReportStyle::Lean)
    };
    for relationship in &records.relationships {
        if hidden(&relationship.source, &relationship.target) {
            continue;
        }
        let Some(ends) = records.ends(relationship) else { continue };
        if !page.add_related(records, relationship, ends, &told) {
            break;
        }
    }
    for entity in &records.loose {
        if !hidden(&entity.id, &entity.id) && !page.add_entity(records, entity) {
            break;
        }
    }
    for relationship in &records.leaving {
        let Some(ends) = records.ends(relationship) else { continue };
        let line = leaving_line(relationship, ends.0, ends.1);
        let cost = line_cost(&line, tokens);
        if page.add_rows(vec![(RecordKind::Relationships, relationship.id.clone(), line)], cost) {
            page.leaving.insert(relationship.id.clone());
        }
    }
    page.finish()
}

struct ReportPage {
    tokens: Tokens,
    budget: u64,
    used: u64,
    lines: BTreeMap<RecordKind, Vec<String>>,
    shown: BTreeMap<RecordKind, Vec<Id>>,
    contents: Vec<String>,
    earlier_contents: Vec<String>,
    seen: BTreeSet<Id>,
    leaving: BTreeSet<Id>,
}

impl ReportPage {
    fn new(tokens: Tokens, budget: u64) -> Self {
        Self {
            tokens,
            budget,
            used: 0,
            lines: BTreeMap::new(),
            shown: BTreeMap::new(),
            contents: Vec::new(),
            earlier_contents: Vec::new(),
            seen: BTreeSet::new(),
            leaving: BTreeSet::new(),
        }
    }

    /// A relationship with whichever of its ends is not yet there; all of it or nothing. `told` gives the place of the
    /// report that tells of an entity.
    fn add_related(
        &mut self,
        records: &CommunityRecords<'_>,
        relationship: &Relationship,
        ends: (&Entity, &Entity),
        told: &dyn Fn(&Id) -> Option<usize>,
    ) -> bool {
        let mut rows = Vec::new();
        let is_told_here = [ends.0, ends.1].map(|entity| told(&entity.id).is_none());
        let short = shorter_line(records.style, relationship, ends, is_told_here);
        let mut cost = match &short {
            Some(line) => line_cost(line, self.tokens),
            None => records.relationship_cost(relationship, ends, self.tokens),
        };
        for entity in [ends.0, ends.1] {
            if self.seen.contains(&entity.id) {
                continue;
            }
            if let Some(report) = told(&entity.id) {
                let row = told_row(entity, report + 1);
                cost += line_cost(&row.2, self.tokens);
                rows.push(row);
            } else {
                rows.extend(entity_rows(entity, records.claims, records.style));
                cost += records.entity_cost(entity, self.tokens);
            }
        }
        let line = relationship_line(relationship, ends.0, ends.1);
        rows.push((RecordKind::Relationships, relationship.id.clone(), line));
        let added = self.add_rows(rows, cost);
        if added && let Some(last) = self.earlier_contents.last_mut() {
            *last = untyped_line(relationship, ends.0, ends.1);
        }
        // what is left out follows from what is shown: the fingerprint stays that of the whole row
        if added
            && let Some(line) = short
            && let Some(lines) = self.lines.get_mut(&RecordKind::Relationships)
            && let Some(number) = lines.len().checked_sub(1)
            && let Some(last) = lines.last_mut()
        {
            *last = format!("{} | {line}", number + 1);
        }
        added
    }

    fn add_entity(&mut self, records: &CommunityRecords<'_>, entity: &Entity) -> bool {
        if self.seen.contains(&entity.id) {
            return true;
        }
        let cost = records.entity_cost(entity, self.tokens);
        self.add_rows(entity_rows(entity, records.claims, records.style), cost)
    }

    fn add_rows(&mut self, rows: Vec<(RecordKind, Id, String)>, cost: u64) -> bool {
        if self.used.saturating_add(cost) > self.budget {
            return false;
        }
        self.used += cost;
        for (kind, id, line) in rows {
            self.put(kind, id, line);
        }
        true
    }

    fn add(&mut self, kind: RecordKind, id: &Id, line: &str) {
        let cost = line_cost(line, self.tokens);
        self.add_rows(vec![(kind, id.clone(), line.to_owned())], cost);
    }

    fn put(&mut self, kind: RecordKind, id: Id, line: String) {
        self.seen.insert(id.clone());
        let ids = self.shown.entry(kind).or_default();
        ids.push(id);
        let number = ids.len();
        self.lines.entry(kind).or_default().push(format!("{number} | {line}"));
        self.earlier_contents.push(line.clone());
        self.contents.push(line);
    }

    fn finish(self) -> ReportContext {
        let mut text = String::new();
        for (kind, lines) in &self.lines {
            let (title, columns) = match kind {
                RecordKind::Reports => ("Reports", "number | report"),
                RecordKind::Entities => ("Entities", "number | name | type | description"),
                RecordKind::Relationships => {
                    ("Relationships", "number | source | target | type | description")
                }
                RecordKind::Claims => {
                    ("Claims", "number | subject | object | type | status | dates | claim | quote")
                }
                RecordKind::Sources => ("Sources", "number | text"),
                RecordKind::Answers => ("Answers", "number | question | answer"),
            };
            text.push_str(&format!("## {title}\n{columns}\n"));
            for line in lines {
                text.push_str(line);
                text.push('\n');
            }
            let leaving = if *kind == RecordKind::Relationships { self.leaving.len() } else { 0 };
            if leaving > 0 {
                let from = lines.len() + 1 - leaving;
                text.push_str(&format!("From {from} on they lead out of the community.\n"));
            }
            text.push('\n');
        }
        let hash =
            |contents: &[String]| fingerprint(&contents.iter().map(String::as_str).collect::<Vec<_>>());
        let claims = self.shown.contains_key(&RecordKind::Claims);
        ReportContext {
            fingerprint: hash(&self.contents),
            earlier_fingerprint: (!claims).then(|| hash(&self.earlier_contents)),
            text,
            shown: self.shown,
            leaving: self.leaving,
            claims_of: BTreeMap::new(),
            paper: Vec::new(),
            tokens: self.used,
            record_tokens: self.used,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Ids;

    fn fixture(n: usize) -> (BTreeMap<Id, Entity>, Vec<Relationship>) {
        let ids = Ids::new("w");
        let mut entities = BTreeMap::new();
        for i in 0..n {
            let id = ids.entity(&format!("name {i}"));
            entities.insert(
                id.clone(),
                Entity {
                    id,
                    name: format!("Name {i}"),
                    description: "a thing of the story | with a bar".into(),
                    ..Entity::default()
                },
            );
        }
        let relationships = (1..n)
            .map(|i| {
                let (a, b) = (ids.entity("name 0"), ids.entity(&format!("name {i}")));
                Relationship {
                    id: ids.relationship(&a, &b),
                    source: a,
                    target: b,
                    description: format!("number {i} belongs to number 0"),
                    weight: 1,
                    ..Relationship::default()
                }
            })
            .collect();
        (entities, relationships)
    }

    static NOT_COUNTED: std::sync::OnceLock<Costs> = std::sync::OnceLock::new();

    fn records<'a>(
        entities: &'a BTreeMap<Id, Entity>,
        relationships: &'a [Relationship],
        claims: &'a ShownClaims,
    ) -> CommunityRecords<'a> {
        CommunityRecords {
            relationships: relationships.iter().collect(),
            entities,
            loose: Vec::new(),
            leaving: Vec::new(),
            claims,
            cut: false,
            costs: NOT_COUNTED.get_or_init(Costs::default),
            style: ReportStyle::Paper,
        }
    }

    #[test]
    fn every_relationship_that_fits_is_shown_and_numbers_resolve() {
        let (entities, relationships) = fixture(20);
        let claims = BTreeMap::new();
        let context = pack(&records(&entities, &relationships, &claims), &[], Tokens::O200kBase, 8000);
        assert_eq!(context.shown[&RecordKind::Relationships].len(), 19);
        assert_eq!(context.shown[&RecordKind::Entities].len(), 20);
        assert_eq!(
            context.record(RecordKind::Relationships, 1).map(|r| r.id),
            Some(relationships[0].id.clone())
        );
        assert_eq!(context.record(RecordKind::Relationships, 0), None);
        assert_eq!(context.record(RecordKind::Relationships, 20), None);
        assert!(Tokens::O200kBase.count(&context.text) as u64 <= context.tokens + 60);
    }

    #[test]
    fn sub_communities_are_replaced_by_their_reports_when_records_do_not_fit() {
        let (entities, relationships) = fixture(40);
        let claims = BTreeMap::new();
        let half: Vec<Id> = {
            let mut members: Vec<Id> = relationships[..20].iter().map(|r| r.target.clone()).collect();
            members.push(relationships[0].source.clone());
            members.sort();
            members
        };
        let child = SubCommunity {
            id: Ids::new("w").other("c", &["1"]),
            members: half,
            written: Report::default(),
            report: "# Half\n\nall of it".into(),
            composed: false,
            record_tokens: 800,
        };
        let whole = pack(&records(&entities, &relationships, &claims), &[], Tokens::O200kBase, 100_000);
        let budget = usize::try_from(whole.tokens).expect("small") * 3 / 4;
        let context = pack(&records(&entities, &relationships, &claims), &[child], Tokens::O200kBase, budget);
        assert_eq!(context.shown[&RecordKind::Reports].len(), 1);
        assert_eq!(context.shown[&RecordKind::Relationships].len(), 19);
        assert!(context.tokens <= budget as u64);
    }

    #[test]
    fn the_fingerprint_is_of_contents_only() {
        let (entities, mut relationships) = fixture(5);
        let claims = BTreeMap::new();
        let before =
            pack(&records(&entities, &relationships, &claims), &[], Tokens::O200kBase, 8000).fingerprint;
        relationships[0].weight = 9;
        assert_eq!(
            pack(&records(&entities, &relationships, &claims), &[], Tokens::O200kBase, 8000).fingerprint,
            before
        );
        relationships[0].description.push('!');
        assert_ne!(
            pack(&records(&entities, &relationships, &claims), &[], Tokens::O200kBase, 8000).fingerprint,
            before
        );
    }

    #[test]
    fn what_an_end_says_is_not_said_again_of_a_relationship_and_the_fingerprint_stays() {
        let (entities, mut relationships) = fixture(3);
        for relationship in &mut relationships {
            "belongs to".clone_into(&mut relationship.kind);
        }
        "It was bought in winter by the mayor.".clone_into(&mut relationships[1].description);
        let claims = BTreeMap::new();
        let mut shown = records(&entities, &relationships, &claims);
        let paper = pack(&shown, &[], Tokens::O200kBase, 8000);
        shown.style = ReportStyle::Lean;
        let lean = pack(&shown, &[], Tokens::O200kBase, 8000);
        assert!(paper.text.contains("1 | Name 0 | Name 1 | belongs to | number 1 belongs to number 0"));
        assert!(!lean.text.contains("number 1 belongs to number 0"), "{}", lean.text);
        assert!(
            lean.text.contains("2 | Name 0 | Name 2 | belongs to | It was bought in winter by the mayor.")
        );
        assert_eq!(lean.fingerprint, paper.fingerprint);
        assert!(lean.tokens < paper.tokens);
    }

    #[test]
    fn relationships_show_their_types_and_those_that_lead_out_stand_behind_the_others() {
        let (entities, mut relationships) = fixture(6);
        for relationship in &mut relationships {
            "belongs to".clone_into(&mut relationship.kind);
        }
        let (inside, out) = relationships.split_at(3);
        let claims = BTreeMap::new();
        let mut shown = records(&entities, inside, &claims);
        shown.leaving = out.iter().collect();
        let context = pack(&shown, &[], Tokens::O200kBase, 8000);
        let lines: Vec<&str> = context.text.lines().filter(|line| line.contains("belongs to")).collect();
        assert_eq!(lines[0], "1 | Name 0 | Name 1 | belongs to | number 1 belongs to number 0");
        assert_eq!(lines[3], "4 | Name 0 | Name 4 | belongs to | ", "what joins the two alone");
        assert!(context.text.contains("From 4 on they lead out of the community."), "{}", context.text);
        assert_eq!(context.leaving.len(), 2);
        assert_eq!(context.record(RecordKind::Relationships, 5).map(|r| r.id), Some(out[1].id.clone()));
    }

    #[test]
    fn what_the_report_of_a_part_tells_is_not_shown_again() {
        let (entities, relationships) = fixture(12);
        let claims = BTreeMap::new();
        let mut members: Vec<Id> = relationships[..8].iter().map(|r| r.target.clone()).collect();
        members.push(relationships[0].source.clone());
        members.sort();
        let child = SubCommunity {
            id: Ids::new("w").other("c", &["1"]),
            members,
            written: Report::default(),
            report: "# A part\n\nwhat it is about".into(),
            composed: false,
            record_tokens: 800,
        };
        let mut shown = records(&entities, &relationships, &claims);
        let text = |shown: &CommunityRecords<'_>| show(shown, &[&child], Tokens::O200kBase, 8000).text;
        shown.style = ReportStyle::Lean;
        let lean = text(&shown);
        assert!(lean.contains("Name 0 |  | see report 1"), "{lean}");
        assert!(!lean.contains("number 3 belongs to") && lean.contains("number 11 belongs to"), "{lean}");
        shown.style = ReportStyle::Paper;
        assert!(text(&shown).contains("Name 0 |  | a thing of the story"), "the paper shows the rows");
    }
}
