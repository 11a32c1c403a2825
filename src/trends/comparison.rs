//! A report for a period, or for one against another: what is named more, less, for the first time, no more, with a
//! sentence each, and what is said otherwise.

use super::judging::{TimeAxis, dispersion};
use super::subject::TrendKind;
use super::tally::NameTally;
use crate::contradictions::Contradiction;
use crate::domain::SourceSentence;
use crate::numeric::chance::ln_normal_tail;
use serde::Serialize;
use std::fmt::Write;

/// Sentences in both periods, at least.
const FEWEST: u32 = 4;

/// What documents of a time say otherwise than those of another time.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct TimeReport {
    /// The time that is told of: its first and last period.
    pub of: [String; 2],
    /// What it is compared with.
    pub against: [String; 2],
    /// Documents of each.
    pub documents: [u64; 2],
    /// Named more, strongest first.
    pub more: Vec<Compared>,
    /// Named less, strongest first.
    pub less: Vec<Compared>,
    /// Named by no document before, most sentences first.
    pub new: Vec<Compared>,
    /// Named in the time before and not in this one.
    pub gone: Vec<Compared>,
    /// Names that no document before has and too few sentences to be sure that they are new, most sentences first.
    pub first: Vec<Compared>,
    /// What is said otherwise than before of what the lists hold, and of what is named most.
    pub contradictions: Vec<Contradiction>,
    /// Whether a model told it, from the text units of what changed; else it is composed from the lists.
    pub by_model: bool,
    /// All of it as a text in Markdown, its sentences numbered.
    pub text: String,
    /// The sentences by their numbers, from 1.
    pub sources: Vec<SourceSentence>,
}

/// How often a name stands in two times.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Compared {
    /// The entity, or the title of a community's report.
    pub name: String,
    /// What it is.
    pub kind: TrendKind,
    /// Sentences now and before.
    pub sentences: [u32; 2],
    /// Sentences a document now and before.
    pub rates: [f64; 2],
    /// Minus the decimal logarithm of its chance.
    pub score: f64,
    /// The best sentence of this time, or of the time before where it is gone.
    pub source: Option<SourceSentence>,
}

/// Counts in two times, and the chance that they differ so much, as a logarithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TimeDifference {
    pub(super) sentences: [u32; 2],
    pub(super) rates: [f64; 2],
    /// Of more, and of less; absent where there are too few sentences to tell.
    pub(super) chances: Option<[f64; 2]>,
}

impl TimeAxis {
    /// Sentences of periods now against those of periods before; the chances are 1 where there are too few to tell.
    pub(super) fn compare(
        &self,
        tally: &NameTally,
        now: (usize, usize),
        before: (usize, usize),
    ) -> Option<TimeDifference> {
        let of = |(low, high): (usize, usize)| {
            let (from, to) = self.pieces(low, high);
            (tally.counts.range(from, to).map(|(_, count)| count).sum::<u32>(), f64::from(to - from))
        };
        let ((now, now_documents), (before, before_documents)) = (of(now), of(before));
        if now + before == 0 || now_documents < 1.0 || before_documents < 1.0 {
            return None;
        }
        let rates = [f64::from(now) / now_documents, f64::from(before) / before_documents];
        if now + before < FEWEST {
            return Some(TimeDifference { sentences: [now, before], rates, chances: None });
        }
        let (_, all) = self.pieces(0, self.documents.len());
        let common = f64::from(now + before) / (now_documents + before_documents);
        let spread =
            dispersion(&tally.counts, 0, all) * common * (1.0 / now_documents + 1.0 / before_documents);
        let z = (rates[0] - rates[1]) / spread.sqrt();
        let chances = Some([ln_normal_tail(z), ln_normal_tail(-z)]);
        Some(TimeDifference { sentences: [now, before], rates, chances })
    }
}

impl TimeReport {
    /// Writes the text and numbers the sentences.
    pub(super) fn composed(mut self) -> Self {
        let time =
            |[from, to]: &[String; 2]| if from == to { from.clone() } else { format!("{from} to {to}") };
        let (now, before) = (time(&self.of), time(&self.against));
        let mut text = format!(
            "# {now} against {before}\n\n{} documents, {} before.\n",
            self.documents[0], self.documents[1]
        );
        let mut sources: Vec<SourceSentence> = Vec::new();
        let mut cite = |source: &SourceSentence| {
            let known = sources.iter().position(|one| one == source);
            known.map_or_else(
                || {
                    sources.push(source.clone());
                    sources.len()
                },
                |at| at + 1,
            )
        };
        let lists = [
            ("New", &self.new),
            ("First named", &self.first),
            ("Named more", &self.more),
            ("Named less", &self.less),
            ("No longer named", &self.gone),
        ];
        for (title, list) in lists.iter().filter(|(_, list)| !list.is_empty()) {
            let _ = writeln!(text, "\n## {title}\n");
            for one in *list {
                let [now, before] = one.sentences;
                let noun = if now == 1 { "sentence" } else { "sentences" };
                let _ = write!(text, "- **{}** ({now} {noun}, {before} before)", one.name);
                if let Some(source) = &one.source {
                    let _ = write!(text, ": {} [{}]", plain(&source.text), cite(source));
                }
                text.push('\n');
            }
        }
        if !self.contradictions.is_empty() {
            text.push_str("\n## Said otherwise before\n\n");
        }
        for found in &self.contradictions {
            let (earlier, later) = (&found.earlier, &found.later);
            let _ = writeln!(
                text,
                "- **{}**, {}: {} [{}], before {} [{}]",
                found.entity,
                found.about,
                plain(&later.source.text),
                cite(&later.source),
                plain(&earlier.source.text),
                cite(&earlier.source)
            );
        }
        if lists.iter().all(|(_, list)| list.is_empty()) && self.contradictions.is_empty() {
            text.push_str("\nNothing differs beyond chance.\n");
        }
        for (number, source) in (1..).zip(&sources) {
            let gap = if number == 1 { "\n" } else { "" };
            let _ = writeln!(
                text,
                "{gap}[{number}] {}, characters {}–{}",
                source.document, source.start, source.end
            );
        }
        self.text = text;
        self.sources = sources;
        self
    }
}

/// One line without marks of Markdown.
fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace(['*', '_', '`', '#', '<', '>'], "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(counts: &[u32], now: (usize, usize), before: (usize, usize)) -> Option<TimeDifference> {
        let all = u32::try_from(counts.len()).unwrap();
        let axis = TimeAxis { periods: (0..all).collect(), documents: vec![1; counts.len()] };
        let counts = (0..all).zip(counts.iter().copied()).filter(|(_, count)| *count > 0).collect();
        axis.compare(&NameTally { counts, ..NameTally::default() }, now, before)
    }

    #[test]
    fn one_time_is_compared_with_another_by_how_much_documents_differ() {
        let steady = compare(&[3, 4, 3, 4, 3, 30], (5, 6), (4, 5)).unwrap();
        assert_eq!(steady.sentences, [30, 3]);
        assert!(steady.chances.unwrap()[0] < 0.001_f64.ln(), "{steady:?}");
        // what jumps up and down all the time says nothing when it jumps
        let wild = compare(&[30, 0, 30, 0, 30, 0, 30], (6, 7), (5, 6)).unwrap();
        assert!(wild.chances.unwrap()[0] > 0.05_f64.ln(), "{wild:?}");
        assert_eq!(compare(&[1, 0, 1], (2, 3), (0, 1)).unwrap().chances, None);
        assert_eq!(compare(&[0, 4, 0], (2, 3), (0, 1)), None);
    }

    #[test]
    fn a_report_numbers_its_sentences() {
        let source = SourceSentence {
            document: "a.txt".to_owned(),
            date: None,
            text_unit_id: crate::domain::Ids::new("w").document("a.txt"),
            start: 3,
            end: 9,
            locator: None,
            last_locator: None,
            text: "Azure *grew*.".to_owned(),
        };
        let one = |name: &str| Compared {
            name: name.to_owned(),
            kind: TrendKind::Entity,
            sentences: [9, 1],
            rates: [9.0, 1.0],
            score: 4.0,
            source: Some(source.clone()),
        };
        let report = TimeReport {
            of: ["FY24Q1".to_owned(), "FY24Q1".to_owned()],
            against: ["FY23Q4".to_owned(), "FY23Q4".to_owned()],
            documents: [1, 1],
            more: vec![one("Azure"), one("Copilot")],
            less: Vec::new(),
            new: Vec::new(),
            gone: Vec::new(),
            first: Vec::new(),
            contradictions: Vec::new(),
            by_model: false,
            text: String::new(),
            sources: Vec::new(),
        };
        let report = report.composed();
        assert_eq!(report.sources.len(), 1);
        assert!(
            report.text.contains("- **Copilot** (9 sentences, 1 before): Azure grew. [1]"),
            "{}",
            report.text
        );
        assert!(report.text.ends_with("[1] a.txt, characters 3–9\n"));
    }
}
