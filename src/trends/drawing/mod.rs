//! Trends as lines for a terminal, Markdown, a picture and a page.

mod html;
mod markdown;
mod svg;

pub use html::html;
pub use markdown::markdown;
pub use svg::svg;

use super::report::{Trend, Trends};

/// Eight heights of a curve.
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Columns of a curve at most.
const COLUMNS: usize = 40;

/// A curve in one line: a space for nothing, the greatest value at full height. Long curves are drawn by the greatest of
/// neighbouring values.
pub fn sparkline(curve: &[f64]) -> String {
    let most = curve.iter().copied().fold(0.0, f64::max);
    let step = curve.len().div_ceil(COLUMNS).max(1);
    curve
        .chunks(step)
        .map(|chunk| chunk.iter().copied().fold(0.0, f64::max))
        .map(|value| {
            if value <= 0.0 || most <= 0.0 {
                return ' ';
            }
            let reaches = |(height, _): &(f64, char)| value * 8.0 <= most * height;
            let mut heights = (1..=8).map(f64::from).zip(HEIGHTS);
            heights.find(reaches).map_or('█', |(_, bar)| bar)
        })
        .collect()
}

/// The lists that have something to tell, with what they are.
pub fn titled_lists(trends: &Trends) -> Vec<(&'static str, &'static str, &[Trend])> {
    [
        ("About", "what was asked for", trends.about.as_slice()),
        ("Rising", "named more and more", trends.rising.as_slice()),
        ("Falling", "named less and less", trends.falling.as_slice()),
        ("New", "named by no document before", trends.new.as_slice()),
        ("Gone", "named no more", trends.gone.as_slice()),
        ("Steady", "named most, without a trend", trends.steady.as_slice()),
    ]
    .into_iter()
    .filter(|(_, _, list)| !list.is_empty())
    .collect()
}

/// The sentiment towards something, in a line, its periods labelled by `label`; nothing where no sentence judges.
pub fn mood(trend: &Trend, label: impl Fn(&str) -> String) -> Option<String> {
    let known: Vec<(f64, &str)> = trend
        .sentiment
        .iter()
        .zip(&trend.periods)
        .filter_map(|(mean, period)| Some(((*mean)?, period.as_str())))
        .collect();
    let lowest = known.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let highest = known.iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let mean = known.iter().map(|(mean, _)| mean).sum::<f64>() / known.len() as f64;
    Some(format!(
        "sentiment {mean:+.2} on average, lowest {:+.2} in {}, highest {:+.2} in {}",
        lowest.0,
        label(lowest.1),
        highest.0,
        label(highest.1)
    ))
}

/// From when to when, in words.
pub fn span(trends: &Trends) -> String {
    let label =
        |period: Option<&super::TimePeriod>| period.map(|period| period.label.clone()).unwrap_or_default();
    let documents: u64 = trends.periods.iter().map(|period| period.documents).sum();
    format!(
        "{} to {}, {} periods, {documents} documents",
        label(trends.periods.first()),
        label(trends.periods.last()),
        trends.periods.len()
    )
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::trends::{Every, Tested, TimePeriod, TrendKind, Undated};

    /// A report of one name that rises.
    pub(in crate::trends) fn sample(name: &str) -> Trends {
        let labels = ["2023-Q1", "2023-Q2", "2023-Q3"];
        let period =
            |label: &&str| TimePeriod { label: (*label).to_owned(), from: None, to: None, documents: 2 };
        let trend = Trend {
            name: name.to_owned(),
            kind: TrendKind::Entity,
            r#type: "Product".to_owned(),
            curve: vec![0.0, 1.0, 4.0],
            periods: labels.iter().map(|label| (*label).to_owned()).collect(),
            score: 5.5,
            false_discovery: 0.001,
            sentences: vec![0, 2, 8],
            before: None,
            documents: 4,
            since: "2023-Q2".to_owned(),
            until: "2023-Q3".to_owned(),
            bursts: Vec::new(),
            sentiment: Vec::new(),
            sources: Vec::new(),
        };
        Trends {
            every: Every::Quarter,
            periods: labels.iter().map(period).collect(),
            rising: vec![trend],
            falling: Vec::new(),
            new: Vec::new(),
            gone: Vec::new(),
            steady: Vec::new(),
            about: Vec::new(),
            changes: Vec::new(),
            sums: None,
            contradictions: Vec::new(),
            opinions: Vec::new(),
            topics: Vec::new(),
            reshaping: None,
            report: None,
            watched: Vec::new(),
            undated: Undated::default(),
            tested: Tested::default(),
        }
    }

    #[test]
    fn a_curve_is_drawn_in_a_line() {
        assert_eq!(sparkline(&[0.0, 1.0, 4.0]), " ▂█");
        assert_eq!(sparkline(&[0.0, 0.0]), "  ");
        assert_eq!(sparkline(&[]), "");
        assert_eq!(sparkline(&[1.0; 100]).chars().count(), 34);
    }

    #[test]
    fn every_form_shows_the_name_and_runs_nothing_of_it() {
        let trends = sample("Tarn <script>alert(1)</script> | x");
        for text in [html(&trends).unwrap(), svg(&trends), markdown(&trends)] {
            assert!(text.contains("Tarn") && !text.contains("<script>alert"), "{text}");
            assert!(text.contains("2023-Q3"), "{text}");
        }
        assert!(markdown(&trends).contains("\\|"));
    }

    #[test]
    fn every_form_shows_sentiment_and_opinions() {
        let mut trends = sample("Tarn");
        trends.about = trends.rising.clone();
        trends.about[0].sentiment = vec![None, Some(-0.5), Some(0.25)];
        trends.opinions = vec![crate::trends::ToldOpinion {
            period: "2023-Q2".to_owned(),
            holder: "Rosa <b>Klein".to_owned(),
            target: "Tarn".to_owned(),
            sentiment: -0.5,
            quote: crate::domain::SourceSentence {
                document: "a.txt".to_owned(),
                date: None,
                text_unit_id: crate::domain::Id::from_stored("u"),
                start: 3,
                end: 20,
                locator: None,
                last_locator: None,
                text: "Rosa Klein said that the Tarn leaks.".to_owned(),
            },
        }];
        for text in [html(&trends).unwrap(), markdown(&trends)] {
            assert!(text.contains("lowest -0.50 in 2023-Q2"), "{text}");
            assert!(text.contains("-0.50") && text.contains("the Tarn leaks."), "{text}");
            assert!(text.contains("Klein") && !text.contains("<b>Klein"), "{text}");
        }
    }
}
