//! The claims of each subject as rows of a report's input: one a claim, with what it concerns, its dates and its quote.
//! Exact repeats, as overlapping text units give them, are one row; what is beyond a subject's share is summarised in
//! one more. Every row knows the claims that it stands for, so that its citations lead to all of them.

use crate::config::ReportStyle;
use crate::domain::{Claim, Id};
use crate::index::graph::summaries::Summariser;
use crate::language::{self, letters, one_line};
use crate::tokens::Tokens;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

/// Characters of a quote that are shown.
const QUOTE_CHARACTERS: usize = 200;
/// A quote says more than its claim where one in so many of its words is its own.
const MORE: usize = 3;
/// The share of a report's input that the claims of one subject may take: one of so many.
const SHARES: usize = 4;

/// A row of a report's input that tells a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownClaim {
    /// The claim; of several the first.
    pub id: Id,
    /// The claims that it stands for, itself included; empty where it is the only one.
    pub stands_for: Vec<Id>,
    /// Object, type, status, dates and claim, as a row shows them behind the subject.
    pub line: String,
    /// The words of the text, shortened.
    pub quote: String,
    /// Whether they say something that the claim does not.
    pub quote_says_more: bool,
}

impl ShownClaim {
    /// The whole row behind the subject; the lean style leaves a quote out that only repeats the claim.
    pub fn row(&self, style: ReportStyle) -> String {
        let shown = style == ReportStyle::Paper || self.quote_says_more;
        format!("{} | {}", self.line, if shown { self.quote.as_str() } else { "" })
    }
}

/// The rows of each subject, by subject.
pub type ShownClaims = BTreeMap<Id, Vec<ShownClaim>>;

/// Brings the claims of each subject into the form that a report of `max_tokens` of input shows. `names` are those of
/// the entities that claims concern. A model is asked only where the claims of a subject do not fit its share.
///
/// # Errors
/// A model that refuses, or a budget that is used up; other failures leave the claims as they are.
pub async fn shown_claims(
    summariser: Option<&Summariser>,
    claims: BTreeMap<Id, Vec<Claim>>,
    names: &BTreeMap<Id, String>,
    (tokens, max_tokens): (Tokens, usize),
) -> Result<ShownClaims> {
    let mut shown = ShownClaims::new();
    let mut beyond: Vec<(Id, Vec<Claim>)> = Vec::new();
    for (subject, claims) in claims {
        let (fit, rest) = divided(rows(claims, names), tokens, max_tokens / SHARES);
        shown.insert(subject.clone(), fit.into_iter().map(|(row, _)| row).collect());
        if !rest.is_empty() {
            beyond.push((subject, rest.into_iter().flat_map(|(_, claims)| claims).collect()));
        }
    }
    let Some(summariser) = summariser else { return Ok(shown) };
    let work = beyond.iter().map(|(subject, claims)| {
        let name = names.get(subject).cloned().unwrap_or_default();
        (vec![name], claims.iter().map(claim_line).collect())
    });
    for (place, text) in summariser.texts(work.collect()).await? {
        let Some((subject, claims)) = beyond.get(place) else { continue };
        let Some(first) = claims.first() else { continue };
        let ids: BTreeSet<Id> = claims.iter().map(|claim| claim.id.clone()).collect();
        let row = ShownClaim {
            id: first.id.clone(),
            line: format!(" | {} more claims |  |  | {}", ids.len(), one_line(&text)),
            quote: String::new(),
            quote_says_more: false,
            stands_for: ids.into_iter().collect(),
        };
        shown.entry(subject.clone()).or_default().push(row);
    }
    Ok(shown)
}

/// One row for each claim and its exact repeats, in the order of what they say; with the claims themselves.
fn rows(claims: Vec<Claim>, names: &BTreeMap<Id, String>) -> Vec<(ShownClaim, Vec<Claim>)> {
    let mut groups = Lines::new();
    for claim in claims {
        let object = claim.object.as_ref().and_then(|object| names.get(object)).map_or("", String::as_str);
        let line = format!(
            "{} | {} | {} | {} | {}",
            one_line(object),
            one_line(&claim.kind),
            claim.status.as_str(),
            claim.when(),
            one_line(&claim.statement())
        );
        let key = (claim.kind.clone(), claim.start_date.clone(), line);
        groups.entry(key).or_default().push(claim);
    }
    let row = |((_, _, line), claims): ((String, String, String), Vec<Claim>)| {
        let ids: Vec<Id> = claims.iter().map(|claim| claim.id.clone()).collect();
        let first = claims.first()?;
        let quote: String = one_line(&first.source_text).chars().take(QUOTE_CHARACTERS).collect();
        let row = ShownClaim {
            id: first.id.clone(),
            quote_says_more: says_more(&quote, &line),
            line,
            quote,
            stands_for: if ids.len() > 1 { ids } else { Vec::new() },
        };
        Some((row, claims))
    };
    repeats_together(groups).into_iter().filter_map(row).collect()
}

/// Category, beginning and line.
type LineKey = (String, String, String);
/// Claims by category, beginning and line.
type Lines = BTreeMap<LineKey, Vec<Claim>>;

/// Of one quote in several text units that overlap what each says once in the same category is one claim, in the words of
/// the first: another name of who speaks makes it no other one.
fn repeats_together(lines: Lines) -> Lines {
    let mut of_quotes: BTreeMap<String, Vec<(LineKey, Vec<Claim>)>> = BTreeMap::new();
    let mut kept = Lines::new();
    for (key, claims) in lines {
        match claims.first().filter(|first| !letters(&first.source_text).is_empty()) {
            Some(first) => {
                let object = first.object.as_ref().map_or("", Id::as_str);
                let (status, quote) = (first.status.as_str(), letters(&first.source_text));
                let same = [first.kind.as_str(), object, status, &first.start_date, &first.end_date, &quote]
                    .join("\n");
                of_quotes.entry(same).or_default().push((key, claims));
            }
            None => {
                kept.insert(key, claims);
            }
        }
    }
    for rows in of_quotes.into_values() {
        let units = || rows.iter().map(|(_, claims)| claims.iter().map(|claim| &claim.text_unit));
        let each: usize = units().map(|units| units.collect::<BTreeSet<_>>().len()).sum();
        if units().flatten().collect::<BTreeSet<_>>().len() < each {
            // one text unit says two things by the same words
            kept.extend(rows);
            continue;
        }
        let mut rows = rows.into_iter();
        if let Some((key, mut claims)) = rows.next() {
            claims.extend(rows.flat_map(|(_, claims)| claims));
            kept.insert(key, claims);
        }
    }
    kept
}

/// Whether a quote has words beyond those of the claim: a third of them, or a number.
fn says_more(quote: &str, claim: &str) -> bool {
    let claimed = words(claim);
    let quoted = words(quote);
    let own: Vec<&String> = quoted.difference(&claimed).collect();
    let number = own.iter().any(|word| word.chars().any(|c| c.is_ascii_digit()));
    number || own.len() * MORE > quoted.len()
}

/// The words of a text that carry its meaning.
fn words(text: &str) -> BTreeSet<String> {
    language::words(text).into_iter().filter(|word| !language::is_stop_word(word)).collect()
}

type Rows = Vec<(ShownClaim, Vec<Claim>)>;

/// The rows that fit so many tokens, and those behind them.
fn divided(mut rows: Rows, tokens: Tokens, limit: usize) -> (Rows, Rows) {
    let mut used = 0;
    let fit = rows
        .iter()
        .take_while(|(row, _)| {
            used += tokens.count(&row.row(ReportStyle::Paper));
            used <= limit
        })
        .count();
    let rest = rows.split_off(fit);
    (rows, rest)
}

/// A claim with its status and dates, as a summary needs them.
fn claim_line(claim: &Claim) -> String {
    let dates = match claim.when() {
        dates if dates.is_empty() => dates,
        dates => format!(", {dates}"),
    };
    format!("{} ({}{dates}): {}", claim.kind, claim.status.as_str(), claim.statement())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{ClaimStatus, Ids};

    fn claim(number: usize, kind: &str, description: &str) -> Claim {
        let ids = Ids::new("w");
        Claim {
            id: ids.claim(&ids.other("unit", &["1"]), number),
            text_unit: ids.other("unit", &["1"]),
            subject: ids.entity("microsoft"),
            object: Some(ids.entity("openai")),
            kind: kind.to_owned(),
            status: ClaimStatus::True,
            description: description.to_owned(),
            start_date: "2023-07-01".to_owned(),
            end_date: "2023-09-30".to_owned(),
            source_text: "we said so".to_owned(),
            holder: String::new(),
        }
    }

    async fn rows_within(claims: Vec<Claim>, max_tokens: usize) -> Vec<ShownClaim> {
        let ids = Ids::new("w");
        let names = BTreeMap::from([(ids.entity("openai"), "OpenAI".to_owned())]);
        let claims = BTreeMap::from([(ids.entity("microsoft"), claims)]);
        let shown = shown_claims(None, claims, &names, (Tokens::O200kBase, max_tokens)).await.unwrap();
        shown.into_values().next().unwrap()
    }

    #[tokio::test]
    async fn each_claim_is_a_row_of_its_own_and_exact_repeats_are_one() {
        let rows = rows_within(
            vec![
                claim(0, "growth", "Azure grew."),
                claim(1, "deal", "They paid."),
                claim(2, "growth", "Azure grew."),
            ],
            8000,
        )
        .await;
        let lines: Vec<String> = rows.iter().map(|row| row.row(ReportStyle::Paper)).collect();
        assert_eq!(
            lines,
            [
                "OpenAI | deal | TRUE | 2023-07-01 to 2023-09-30 | They paid. | we said so",
                "OpenAI | growth | TRUE | 2023-07-01 to 2023-09-30 | Azure grew. | we said so",
            ]
        );
        assert_eq!(rows.iter().map(|row| row.stands_for.len()).collect::<Vec<_>>(), [0, 2]);
    }

    #[tokio::test]
    async fn one_quote_of_units_that_overlap_is_one_claim_under_whatever_name_its_speaker_goes() {
        let other = Claim {
            text_unit: Ids::new("w").other("unit", &["2"]),
            holder: "诸葛亮".to_owned(),
            ..claim(3, "weakness", "诸葛亮说曹军远来疲惫。")
        };
        let first =
            Claim { holder: "孔明".to_owned(), ..claim(1, "weakness", "孔明说曹军远来疲惫。") };
        let rows = rows_within(vec![other.clone(), first.clone()], 8000).await;
        assert_eq!(rows.len(), 1, "{rows:?}");
        assert_eq!(rows.first().map(|row| row.stands_for.len()), Some(2));
        let own = Claim { text_unit: first.text_unit.clone(), ..other };
        assert_eq!(rows_within(vec![own, first], 8000).await.len(), 2, "one text unit says both");
    }

    #[test]
    fn a_quote_is_shown_where_it_says_more_than_the_claim() {
        let check = |quote: &str, claim: &str, expected: bool| {
            assert_eq!(says_more(quote, claim), expected, "{quote}");
        };
        check("Revenue grew 29%.", "Azure | revenue | TRUE |  | Azure revenue grew 29%.", false);
        check("Revenue grew 29% and 28% in constant currency.", "Azure revenue grew 29%.", true);
        check("We see high demand and rolled it out to dozens of firms.", "Copilot is in demand.", true);
        check("", "Azure grew.", false);
    }

    #[tokio::test]
    async fn claims_of_one_subject_keep_to_their_share() {
        let many =
            |count| (0..count).map(|n| claim(n, "growth", &format!("It grew by {n} percent."))).collect();
        assert_eq!(rows_within(many(100), 100_000).await.len(), 100);
        let rows = rows_within(many(100), 2000).await;
        assert!((5..40).contains(&rows.len()), "{}", rows.len());
    }
}
