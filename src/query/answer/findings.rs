//! What a cited report rests on: of its findings the one that a statement repeats, of that one the clause, and the
//! records that the finding cites. Where it cites the report of a part, that report's in turn.

use super::concepts::same;
use super::passages::{clauses, meaning};
use super::statements::{Cited, CitedStatement};
use crate::domain::{Community, Finding, Id, RecordKind, RecordRef};
use crate::language::sentences;
use crate::language::words::is_han;
use crate::stores::graph::GraphReader;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

/// Records that a report's citation is followed to.
const RECORDS: usize = 24;
/// Members that may be meant where a report's finding cites nothing.
const MEMBERS: usize = 40;
/// Reports that stand behind each other at most.
const LEVELS: usize = 6;
/// Weight of the statement's words before its last sentence, and of a list that it announces.
const AROUND: f64 = 0.5;
/// Weight of a clause that says nothing of what the report is about, against the one that says most.
const ELSEWHERE: f64 = 0.25;
/// Weight of a word of the names that the report is about.
const NAMED: f64 = 0.25;
/// Weight of another word for the same.
const SAME: f64 = 0.6;
/// Words that are added to a text's length: short ones are not better for being short.
const LENGTH: f64 = 20.0;
/// Share of the best fit from which a piece of a Chinese clause is what a statement repeats, and words that are added to a
/// piece's length.
const PIECE: f64 = 0.6;
const PIECE_LENGTH: f64 = 6.0;
/// Words of a piece in an alphabet that says something by itself.
const FACT: usize = 2;
/// Share of a report's findings from which a name of its title tells none from another.
const EVERYWHERE: f64 = 0.5;

/// Communities by id.
pub(super) type Communities = BTreeMap<Id, Community>;

/// What stands behind a report where a statement cites it.
#[derive(Clone, Debug, Default)]
pub(super) struct Behind {
    /// All words of the finding; of the summary and all findings where none says what the statement does.
    pub(super) words: String,
    /// The clause of the finding that the statement repeats; empty where none does.
    pub(super) clause: String,
    /// What the finding cites; the first members where that is nothing.
    pub(super) records: Vec<RecordRef>,
}

/// Reads the communities that are cited, and those whose reports findings cite that statements repeat.
///
/// # Errors
/// What the store says.
pub(super) async fn read(reader: &dyn GraphReader, cited: &[Cited<'_>]) -> Result<Communities> {
    let mut known = Communities::new();
    let reports = || cited.iter().filter(|(kind, ..)| *kind == RecordKind::Reports);
    let mut wanted: BTreeSet<Id> = reports().map(|(_, id, _)| (*id).clone()).collect();
    for _ in 0..LEVELS {
        wanted.retain(|id| !known.contains_key(id));
        if wanted.is_empty() {
            break;
        }
        let ids: Vec<Id> = std::mem::take(&mut wanted).into_iter().collect();
        let found = reader.communities_by_id(&ids).await?;
        known.extend(found.into_iter().map(|community| (community.id.clone(), community)));
        for (_, id, statement) in reports() {
            parts_behind(&known, id, *statement, &mut wanted, LEVELS);
        }
    }
    Ok(known)
}

/// The reports of parts that the finding cites which a statement repeats, and those behind them as far as they are known.
fn parts_behind(
    known: &Communities,
    id: &Id,
    statement: CitedStatement<'_>,
    into: &mut BTreeSet<Id>,
    levels: usize,
) {
    let Some((finding, _)) = known.get(id).and_then(|community| repeated(community, statement)) else {
        return;
    };
    for part in finding.citations.iter().filter(|record| record.kind == RecordKind::Reports) {
        if into.insert(part.id.clone()) && levels > 0 {
            parts_behind(known, &part.id, statement, into, levels - 1);
        }
    }
}

/// What stands behind a report where a statement cites it: of the finding that says it best the words, the clause and
/// what it cites; the summary and the first members where no finding says it.
pub(super) fn behind(known: &Communities, id: &Id, statement: CitedStatement<'_>) -> Vec<Behind> {
    let mut all = Vec::new();
    follow(known, id, statement, &mut all, LEVELS);
    all
}

fn follow(known: &Communities, id: &Id, statement: CitedStatement<'_>, all: &mut Vec<Behind>, levels: usize) {
    let Some(community) = known.get(id) else { return };
    let members = || {
        let members = community.members.iter().take(MEMBERS);
        members.map(|id| RecordRef { kind: RecordKind::Entities, id: id.clone() }).collect::<Vec<_>>()
    };
    let Some((finding, clause)) = repeated(community, statement) else {
        let report = &community.report;
        let words: Vec<&str> = report.findings.iter().map(|finding| finding.summary.as_str()).collect();
        let words = format!("{} {}", report.summary, words.join(" "));
        all.push(Behind { clause: String::new(), words, records: members() });
        return;
    };
    let (parts, records): (Vec<RecordRef>, Vec<RecordRef>) =
        finding.citations.iter().cloned().partition(|record| record.kind == RecordKind::Reports);
    let before = all.len();
    if levels > 0 {
        for part in &parts {
            follow(known, &part.id, statement, all, levels - 1);
        }
    }
    if records.is_empty() && all.len() > before {
        return;
    }
    let words = format!("{} {}", finding.summary, finding.explanation);
    let records = if records.is_empty() { members() } else { records.into_iter().take(RECORDS).collect() };
    all.push(Behind { words, clause: repeated_pieces(clause, statement.sentence), records });
}

/// Of a clause the pieces between its commas that a statement repeats, as 曹军远来疲惫，北人不习水战 and "it was ahead of
/// plan, and income grew" are two facts; all of it where it repeats none.
fn repeated_pieces(clause: &str, statement: &str) -> String {
    let chinese = clause.chars().any(is_han);
    let pieces = if chinese { clause.split_inclusive(['，', '、']).collect() } else { facts(clause) };
    if pieces.len() < 2 {
        return clause.to_owned();
    }
    let said = meaning(statement);
    let fits: Vec<f64> = pieces
        .iter()
        .map(|piece| {
            let told = meaning(piece);
            told.intersection(&said).count() as f64 / (PIECE_LENGTH + told.len() as f64).sqrt()
        })
        .collect();
    let most = fits.iter().copied().fold(0.0, f64::max);
    if most <= 0.0 {
        return clause.to_owned();
    }
    pieces.iter().zip(fits).filter(|(_, fit)| *fit >= PIECE * most).map(|(piece, _)| *piece).collect()
}

/// The pieces of a clause in an alphabet that say something each: what stands between two commas and says little belongs to
/// what stands before it.
fn facts(clause: &str) -> Vec<&str> {
    let mut ends: Vec<usize> = vec![0];
    for (at, mark) in clause.match_indices(", ") {
        let (begun, end) = (ends.last().copied().unwrap_or_default(), at + mark.len());
        let says = |piece: Option<&str>| piece.is_some_and(|piece| meaning(piece).len() >= FACT);
        if says(clause.get(begun..end)) && says(clause.get(end..)) {
            ends.push(end);
        }
    }
    ends.push(clause.len());
    ends.windows(2).filter_map(|ends| clause.get(*ends.first()?..*ends.last()?)).collect()
}

/// The finding that says best what a statement says, and its clause that does; of equal ones the first, nothing where none
/// shares a word.
fn repeated<'a>(community: &'a Community, statement: CitedStatement<'_>) -> Option<(&'a Finding, &'a str)> {
    let report = &community.report;
    let about = meaning(&report.full_content());
    let texts: Vec<String> = report
        .findings
        .iter()
        .map(|finding| format!("{} {}", finding.summary, finding.explanation))
        .collect();
    let told: Vec<BTreeSet<String>> = texts.iter().map(|text| meaning(text)).collect();
    let mut named = names_in(&report.title);
    named.retain(|name| {
        let holding = told.iter().filter(|words| words.contains(name)).count();
        holding as f64 >= EVERYWHERE * told.len() as f64
    });
    let said = StatementWords::by(statement, &about, &named);
    let finding = report.findings.get(said.best(&texts.iter().map(String::as_str).collect::<Vec<_>>())?)?;
    let clauses = clauses_of(finding);
    let clause = said.best(&clauses).and_then(|place| clauses.get(place)).copied();
    Some((finding, clause.unwrap_or(&finding.summary)))
}

/// What a finding says, piece by piece.
fn clauses_of(finding: &Finding) -> Vec<&str> {
    let explained = sentences(&finding.explanation).into_iter();
    let explained = explained.filter_map(|range| finding.explanation.get(range));
    let whole = std::iter::once(finding.summary.as_str()).chain(explained);
    whole
        .flat_map(|sentence| sentence.split([';', '；']))
        .filter(|clause| !clause.trim().is_empty())
        .collect()
}

/// The words of names in a title, as far as its script tells them from others.
fn names_in(title: &str) -> BTreeSet<String> {
    let is_name = |word: &&str| word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
    let names: Vec<&str> = title.split_whitespace().filter(is_name).collect();
    meaning(&names.join(" "))
}

/// What a statement says to a report: the words of its clauses, those about what the report is about before the others.
struct StatementWords {
    words: BTreeMap<String, f64>,
}

impl StatementWords {
    /// `named` are the words of names that the whole report is about: they tell no finding from another.
    fn by(statement: CitedStatement<'_>, about: &BTreeSet<String>, named: &BTreeSet<String>) -> Self {
        let parts = [(statement.sentence, 1.0), (statement.before, AROUND), (statement.listed, AROUND)];
        let clauses: Vec<(BTreeSet<String>, f64)> = parts
            .into_iter()
            .flat_map(|(part, weight)| clauses(part).map(move |clause| (meaning(clause), weight)))
            .collect();
        let fit = |terms: &BTreeSet<String>| terms.intersection(about).count() as f64;
        let most = clauses.iter().map(|(terms, _)| fit(terms)).fold(0.0, f64::max);
        let mut words: BTreeMap<String, f64> = BTreeMap::new();
        let mut add = |term: String, weight: f64| {
            let known = words.entry(term).or_default();
            *known = weight.max(*known);
        };
        for (terms, weight) in clauses {
            let share = if most > 0.0 { fit(&terms) / most } else { 1.0 };
            let weight = weight * (ELSEWHERE + (1.0 - ELSEWHERE) * share);
            for term in terms {
                let weight = if named.contains(&term) { weight * NAMED } else { weight };
                for other in same(&term) {
                    add(other, weight * SAME);
                }
                add(term, weight);
            }
        }
        Self { words }
    }

    /// The place of the text that says most of it.
    fn best(&self, texts: &[&str]) -> Option<usize> {
        let told: Vec<BTreeSet<String>> = texts.iter().map(|text| meaning(text)).collect();
        let rarity = |term: &String| {
            let held = told.iter().filter(|terms| terms.contains(term)).count() as f64;
            (1.0 + told.len() as f64 / (1.0 + held)).ln()
        };
        let mut best: Option<(f64, usize)> = None;
        for (place, terms) in told.iter().enumerate() {
            let shared = terms.iter().filter_map(|term| Some(self.words.get(term)? * rarity(term)));
            let score = shared.sum::<f64>() / (LENGTH + terms.len() as f64).sqrt();
            if score > 0.0 && best.is_none_or(|(known, _)| score > known) {
                best = Some((score, place));
            }
        }
        best.map(|(_, place)| place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Ids, Report};

    fn community(name: &str, findings: Vec<Finding>) -> Community {
        let id = Ids::new("w").other("community", &[name]);
        Community {
            lineage: id.clone(),
            id,
            level: 0,
            leaf: true,
            oversized: false,
            parent: None,
            members: vec![Ids::new("w").entity("member")],
            fingerprint: String::new(),
            report: Report { findings, ..Report::default() },
            period: String::new(),
        }
    }

    fn finding(summary: &str, explanation: &str, cited: &[(RecordKind, &Id)]) -> Finding {
        Finding {
            summary: summary.to_owned(),
            explanation: explanation.to_owned(),
            citations: cited.iter().map(|(kind, id)| RecordRef { kind: *kind, id: (*id).clone() }).collect(),
        }
    }

    #[test]
    fn of_a_chinese_clause_the_pieces_count_that_are_repeated() {
        let clause = "孔明称曹军远来疲惫，是强弩之末，北方之人不习水战";
        assert_eq!(repeated_pieces(clause, "北方人不熟悉水战"), "北方之人不习水战");
        assert_eq!(repeated_pieces(clause, "已是强弩之末"), "是强弩之末，");
        assert_eq!(repeated_pieces(clause, "赤壁起了大火"), clause);
        assert_eq!(repeated_pieces("It grew, and it fell", "It grew"), "It grew, and it fell");
        let clause = "It was ahead of expectations, and operating income grew 31%.";
        assert_eq!(
            repeated_pieces(clause, "Both were ahead of expectations"),
            "It was ahead of expectations, "
        );
        assert_eq!(repeated_pieces(clause, "Income grew by a third"), "and operating income grew 31%.");
    }

    #[test]
    fn a_name_of_the_title_that_one_finding_has_tells_it_from_the_others() {
        let ids = Ids::new("w");
        let [members, coach] = ["members", "coach"].map(|name| ids.entity(name));
        let mut report = community(
            "report",
            vec![
                finding(
                    "LinkedIn reached 985 million members.",
                    "Growth goes on.",
                    &[(RecordKind::Entities, &members)],
                ),
                finding(
                    "AI features save time.",
                    "A coach of LinkedIn helps.",
                    &[(RecordKind::Entities, &coach)],
                ),
                finding("Costs rose.", "LinkedIn drove them.", &[]),
            ],
        );
        report.report.title = "LinkedIn and AI features".to_owned();
        let id = report.id.clone();
        let known: Communities = [(id.clone(), report)].into();
        let statement =
            CitedStatement { sentence: "AI comes to Windows and to LinkedIn", ..CitedStatement::default() };
        assert_eq!(
            behind(&known, &id, statement)[0].records,
            [RecordRef { kind: RecordKind::Entities, id: coach }]
        );
    }

    #[test]
    fn a_parent_leads_to_what_the_finding_of_its_part_cites() {
        let ids = Ids::new("w");
        let (azure, teams) = (ids.entity("azure"), ids.entity("teams"));
        let part = community(
            "part",
            vec![
                finding(
                    "Teams has many users.",
                    "It has 320 million users.",
                    &[(RecordKind::Entities, &teams)],
                ),
                finding(
                    "Azure grew.",
                    "Revenue of Azure grew by 29 percent. The cloud is sold everywhere.",
                    &[(RecordKind::Entities, &azure)],
                ),
            ],
        );
        let parent = community(
            "parent",
            vec![finding("The cloud grew.", "Azure grew.", &[(RecordKind::Reports, &part.id)])],
        );
        let id = parent.id.clone();
        let known: Communities = [part, parent].map(|one| (one.id.clone(), one)).into();
        let statement =
            CitedStatement { sentence: "Azure revenue grew 29 percent", ..CitedStatement::default() };
        let found = behind(&known, &id, statement);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].records, [RecordRef { kind: RecordKind::Entities, id: azure }]);
        assert_eq!(found[0].clause, "Revenue of Azure grew by 29 percent.");
        let other = CitedStatement {
            sentence: "Its turnover rose, and the cloud is sold",
            ..CitedStatement::default()
        };
        assert!(behind(&known, &id, other)[0].clause.contains("cloud"), "{:?}", behind(&known, &id, other));
        // nothing is shared: the members
        let other = CitedStatement { sentence: "Bread is baked", ..CitedStatement::default() };
        assert_eq!(behind(&known, &id, other)[0].records[0].id, ids.entity("member"));
    }
}
