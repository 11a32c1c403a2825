//! Measuring targeted sentiment: labels against those of a file.

use super::question_files;
use crate::language::sentiment::{self, Label};
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The labels, in the order of tables.
const LABELS: [Label; 4] = [Label::Positive, Label::Negative, Label::Neutral, Label::Mixed];

/// A line of the file.
#[derive(Clone, Debug, Deserialize)]
struct SentimentItem {
    #[serde(default)]
    id: String,
    #[serde(default)]
    language: String,
    text: String,
    target: String,
    label: Label,
}

/// What came of an item.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Judged {
    /// As in the file.
    pub id: String,
    /// As in the file.
    pub language: String,
    /// Whom or what the text is asked about.
    pub target: String,
    /// The right label.
    pub label: Label,
    /// The label that the rules give.
    pub predicted: Label,
    /// From -1 to 1.
    pub score: f64,
    /// The words that carry it.
    pub words: Vec<String>,
}

/// Scores of one language.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Scores {
    /// Items.
    pub items: usize,
    /// Mean of the F1 scores of the four labels.
    pub macro_f1: f64,
    /// Share of right labels.
    pub accuracy: f64,
    /// F1 score by label.
    pub f1: BTreeMap<&'static str, f64>,
    /// Texts with several targets.
    pub pairs: usize,
    /// Share of these texts in which all labels are right; absent where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pair_accuracy: Option<f64>,
}

/// All of it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SentimentScores {
    /// Scores by language, as the file names it.
    pub languages: BTreeMap<String, Scores>,
    /// Every item, in the order of the file.
    pub items: Vec<Judged>,
}

/// Labels the items of a file of JSON lines (`id, language, text, target, label`) and scores the labels. The targets of
/// equal texts are known to each other, as the entities of a text unit are.
///
/// # Errors
/// A file that cannot be read; a line that is no item, or whose target its text does not hold, by number.
pub fn score(path: &Path) -> Result<SentimentScores> {
    let text = question_files::read(path)?;
    let items = read(&text).with_context(|| format!("in {}", path.display()))?;
    let mut targets: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for item in &items {
        let known = targets.entry(&item.text).or_default();
        if !known.contains(&item.target.as_str()) {
            known.push(&item.target);
        }
    }
    let found: BTreeMap<&str, Vec<sentiment::Sentiment>> =
        targets.iter().map(|(text, targets)| (*text, sentiment::of(text, targets))).collect();
    let judged: Vec<Judged> = items
        .iter()
        .filter_map(|item| {
            let text = item.text.as_str();
            let place = targets.get(text)?.iter().position(|target| *target == item.target)?;
            let sentiment = found.get(text)?.get(place)?;
            Some(Judged {
                id: item.id.clone(),
                language: item.language.clone(),
                target: item.target.clone(),
                label: item.label,
                predicted: sentiment.label,
                score: sentiment.score,
                words: sentiment.words.clone(),
            })
        })
        .collect();
    let mut languages: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, one) in judged.iter().enumerate() {
        languages.entry(one.language.clone()).or_default().push(index);
    }
    let languages =
        languages.into_iter().map(|(language, own)| (language, scores(&own, &judged, &items))).collect();
    Ok(SentimentScores { languages, items: judged })
}

fn read(text: &str) -> Result<Vec<SentimentItem>> {
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    let items = lines.map(|(line, number)| {
        let item: SentimentItem = serde_json::from_str(line).with_context(|| {
            format!(
                "line {number} is no item; write {{\"id\", \"language\", \"text\", \"target\", \"label\"}}"
            )
        })?;
        ensure!(
            item.text.contains(&item.target),
            "line {number}: the text does not hold the target {:?}; write it letter for letter",
            item.target
        );
        Ok(item)
    });
    let items: Vec<SentimentItem> = items.collect::<Result<_>>()?;
    ensure!(!items.is_empty(), "the file holds no items; write one JSON object a line");
    Ok(items)
}

fn scores(own: &[usize], judged: &[Judged], items: &[SentimentItem]) -> Scores {
    let of: Vec<&Judged> = own.iter().filter_map(|index| judged.get(*index)).collect();
    let is_right = |one: &&Judged| one.label == one.predicted;
    let f1: BTreeMap<&'static str, f64> = LABELS
        .iter()
        .map(|label| {
            let both = of.iter().filter(|one| one.label == *label && one.predicted == *label).count();
            let either = of.iter().filter(|one| one.label == *label).count()
                + of.iter().filter(|one| one.predicted == *label).count();
            (label.as_str(), if either == 0 { 0.0 } else { 2.0 * both as f64 / either as f64 })
        })
        .collect();
    let mut by_text: BTreeMap<&str, Vec<bool>> = BTreeMap::new();
    for (item, one) in own.iter().filter_map(|index| Some((items.get(*index)?, judged.get(*index)?))) {
        by_text.entry(&item.text).or_default().push(one.label == one.predicted);
    }
    let pairs: Vec<&Vec<bool>> = by_text.values().filter(|right| right.len() > 1).collect();
    let whole = pairs.iter().filter(|right| right.iter().all(|one| *one)).count();
    Scores {
        items: of.len(),
        macro_f1: f1.values().sum::<f64>() / LABELS.len() as f64,
        accuracy: of.iter().filter(|one| is_right(one)).count() as f64 / of.len().max(1) as f64,
        f1,
        pairs: pairs.len(),
        pair_accuracy: (!pairs.is_empty()).then(|| whole as f64 / pairs.len() as f64),
    }
}

/// The scores as a table in Markdown.
pub fn table(scores: &SentimentScores) -> String {
    let mut text = String::from(
        "| language | items | macro F1 | accuracy | positive | negative | neutral | mixed | texts with several targets right |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for (language, of) in &scores.languages {
        let f1: Vec<String> =
            LABELS.iter().map(|label| format!("{:.2}", of.f1.get(label.as_str()).unwrap_or(&0.0))).collect();
        let pairs =
            of.pair_accuracy.map_or_else(|| "-".to_owned(), |share| format!("{:.2} of {}", share, of.pairs));
        text.push_str(&format!(
            "| {language} | {} | {:.3} | {:.3} | {} | {pairs} |\n",
            of.items,
            of.macro_f1,
            of.accuracy,
            f1.join(" | ")
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_scored_by_language_and_texts_with_several_targets_as_a_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("items.jsonl");
        let line = |id: &str, text: &str, target: &str, label: &str| {
            format!(
                "{{\"id\":\"{id}\",\"language\":\"en\",\"text\":\"{text}\",\"target\":\"{target}\",\"label\":\"{label}\"}}\n"
            )
        };
        let pair = "Azure grew by 40 percent while Surface fell by a tenth.";
        let lines = [
            line("1", pair, "Azure", "positive"),
            line("2", pair, "Surface", "negative"),
            line("3", "The Wren is awful.", "Wren", "positive"),
        ];
        std::fs::write(&path, lines.concat()).unwrap();
        let scores = score(&path).unwrap();
        let english = scores.languages.get("en").unwrap();
        assert_eq!((english.items, english.pairs, english.pair_accuracy), (3, 1, Some(1.0)));
        assert!((english.accuracy - 2.0 / 3.0).abs() < 1e-9);
        assert!((english.macro_f1 - (2.0 / 3.0 + 2.0 / 3.0) / 4.0).abs() < 1e-9, "{english:?}");
        assert_eq!(scores.items[2].words, ["awful"]);
        std::fs::write(&path, line("1", pair, "Bing", "neutral")).unwrap();
        assert!(format!("{:#}", score(&path).unwrap_err()).contains("does not hold the target \"Bing\""));
    }
}
