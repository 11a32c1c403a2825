//! Trends as Markdown: a table a list, and below it a sentence for each name.

use super::{mood, span, sparkline, titled_lists};
use crate::contradictions::Contradiction;
use crate::language::unbroken;
use crate::trends::opinions::ToldOpinion;
use crate::trends::report::{Change, ChangeKind, Topic, Trend, Trends};

/// Sentences below a table for each name.
const SHOWN: usize = 3;

/// The report as Markdown.
pub fn markdown(trends: &Trends) -> String {
    if let Some(report) = &trends.report {
        return report.text.clone();
    }
    let mut text = format!("# Trends\n\n{}\n", span(trends));
    for (title, what, list) in titled_lists(trends) {
        text.push_str(&format!(
            "\n## {title}: {what}\n\n| name | kind | curve | since | until | sentences | score |\n\
             |---|---|---|---|---|---|---|\n"
        ));
        for trend in list {
            add_row(&mut text, trend);
        }
        text.push('\n');
        for trend in list {
            add_sentences(&mut text, trend);
        }
        if let Some(mood) =
            list.iter().find_map(|trend| mood(trend, str::to_owned)).filter(|_| title == "About")
        {
            text.push_str(&format!("\n{}\n", cell(&mood)));
        }
    }
    add_topics(&mut text, &trends.topics);
    add_opinions(&mut text, &trends.opinions);
    add_contradictions(&mut text, &trends.contradictions);
    add_changes(&mut text, &trends.changes);
    if trends.undated.count > 0 {
        text.push_str(&format!(
            "\n{} documents stand in no period: {}\n",
            trends.undated.count,
            cell(&trends.undated.documents.join(", "))
        ));
    }
    text
}

fn add_row(text: &mut String, trend: &Trend) {
    let kind = if trend.r#type.is_empty() { trend.kind.as_str() } else { trend.r#type.as_str() };
    text.push_str(&format!(
        "| {} | {} | `{}` | {} | {} | {} | {:.1} |\n",
        cell(&trend.name),
        cell(kind),
        sparkline(&trend.curve),
        cell(&trend.since),
        cell(&trend.until),
        trend.sentences.iter().sum::<u32>(),
        trend.score
    ));
}

fn add_sentences(text: &mut String, trend: &Trend) {
    text.push_str(&format!("- **{}**\n", cell(&trend.name)));
    for source in spread(&trend.sources, SHOWN) {
        let date = source.date.as_ref().map(|date| format!(", {date}")).unwrap_or_default();
        text.push_str(&format!(
            "  - {} ({}{}, characters {}–{})\n",
            cell(&source.text),
            cell(&source.document),
            cell(&date),
            source.start,
            source.end
        ));
    }
}

fn add_topics(text: &mut String, topics: &[Topic]) {
    if topics.is_empty() {
        return;
    }
    text.push_str(
        "\n## Topics\n\n| topic | does | since | until | curve | grew out of |\n|---|---|---|---|---|---|\n",
    );
    for topic in topics {
        text.push_str(&format!(
            "| {} | {} | {} | {} | `{}` | {} |\n",
            cell(&topic.members.join(", ")),
            topic.change.as_str(),
            cell(&topic.trend.since),
            cell(&topic.trend.until),
            sparkline(&topic.trend.curve),
            cell(topic.grew_out_of.as_ref().map_or("", |from| from.name.as_str()))
        ));
    }
}

fn add_opinions(text: &mut String, opinions: &[ToldOpinion]) {
    if opinions.is_empty() {
        return;
    }
    text.push_str("\n## Who thinks what\n\n| period | who | of what | sentiment | sentence | document |\n|---|---|---|---|---|---|\n");
    for one in opinions {
        text.push_str(&format!(
            "| {} | {} | {} | {:+.2} | {} | {} |\n",
            cell(&one.period),
            cell(&one.holder),
            cell(&one.target),
            one.sentiment,
            cell(&one.quote.text),
            cell(&one.quote.document)
        ));
    }
}

fn add_contradictions(text: &mut String, contradictions: &[Contradiction]) {
    if contradictions.is_empty() {
        return;
    }
    text.push_str("\n## Said otherwise before\n\n");
    for found in contradictions {
        text.push_str(&format!(
            "- {}: {}, then {}\n",
            cell(&found.about),
            cell(&found.earlier.value),
            cell(&found.later.value)
        ));
        for said in [&found.earlier, &found.later] {
            text.push_str(&format!("  - {} ({})\n", cell(&said.source.text), cell(&said.source.document)));
        }
    }
}

fn add_changes(text: &mut String, changes: &[Change]) {
    if changes.is_empty() {
        return;
    }
    text.push_str("\n## What changed in what is said\n\n");
    for change in changes {
        let what = match change.what {
            ChangeKind::New => "first with",
            ChangeKind::Ended => "last with",
        };
        let said = change.source.as_ref().map(|source| cell(&source.text)).unwrap_or_default();
        text.push_str(&format!("- {}, {what} **{}**: {said}\n", cell(&change.period), cell(&change.name)));
    }
}

/// Some of a list: the first, the last, and those evenly between.
fn spread<T>(all: &[T], count: usize) -> impl Iterator<Item = &T> {
    let last = all.len().saturating_sub(1);
    let take = count.min(all.len());
    (0..take).filter_map(move |at| all.get(if take < 2 { last } else { at * last / (take - 1) }))
}

/// A text that neither ends a cell nor begins markup.
fn cell(text: &str) -> String {
    let mut out = String::new();
    for c in unbroken(text).chars() {
        match c {
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' | '#' => {
                out.push('\\');
                out.push(c);
            }
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_and_last_are_always_shown() {
        let check = |all: &[u32], count, expected: &[u32]| {
            assert_eq!(spread(all, count).copied().collect::<Vec<_>>(), expected);
        };
        check(&[1, 2, 3, 4, 5], 3, &[1, 3, 5]);
        check(&[1, 2], 3, &[1, 2]);
        check(&[1], 3, &[1]);
        check(&[], 3, &[]);
        check(&[1, 2, 3], 1, &[3]);
    }
}
