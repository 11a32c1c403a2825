//! Trends as a page in one file. All of it stands in the page as text and curves; a script filters and sorts the entries and draws
//! the curve of an open one with its counts.

use super::svg::{HEIGHT, colour, curve, escaped};
use super::{mood, span, titled_lists};
use crate::contradictions::Said;
use crate::standalone::{StandalonePage, script_data};
use crate::trends::report::{ChangeKind, Trend, Trends};
use anyhow::Result;
use serde::Serialize;

/// Width of a curve.
const WIDTH: usize = 360;

const STYLE: &str = include_str!("assets/page.css");
const SCRIPT: &str = include_str!("assets/page.js");

/// What the page's script knows of an entry; its sentences stand in the page.
#[derive(Serialize)]
struct PageTrend<'a> {
    list: &'a str,
    name: &'a str,
    kind: &'a str,
    r#type: &'a str,
    score: f64,
    since: &'a str,
    until: &'a str,
    /// By period.
    sentences: &'a [u32],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    sentiment: &'a [Option<f64>],
}

#[derive(Serialize)]
struct TrendsPageData<'a> {
    periods: Vec<&'a str>,
    /// Documents of each period.
    documents: Vec<u64>,
    trends: Vec<PageTrend<'a>>,
}

impl<'a> TrendsPageData<'a> {
    fn of(trends: &'a Trends) -> Self {
        Self {
            periods: trends.periods.iter().map(|period| period.label.as_str()).collect(),
            documents: trends.periods.iter().map(|period| period.documents).collect(),
            trends: Vec::new(),
        }
    }

    /// The number of an entry that is noted.
    fn add(&mut self, list: &'a str, trend: &'a Trend) -> usize {
        let Trend { name, kind, r#type, score, since, until, sentences, sentiment, .. } = trend;
        let kind = kind.as_str();
        let (score, r#type) = (*score, r#type.as_str());
        self.trends.push(PageTrend { list, name, kind, r#type, score, since, until, sentences, sentiment });
        self.trends.len() - 1
    }
}

/// The report as a page whose entries can be found, sorted and opened; without its script all of them can be read.
///
/// # Errors
/// What cannot be written as JSON.
pub fn html(trends: &Trends) -> Result<String> {
    let mut data = TrendsPageData::of(trends);
    let mut body = match &trends.report {
        Some(report) => format!("<article>\n{}</article>\n<h1>Trends</h1>\n", article(&report.text)),
        None => "<h1>Trends</h1>\n".to_owned(),
    };
    body.push_str(&format!("<p>{}</p>\n<div id=\"tools\" hidden></div>\n", escaped(&span(trends))));
    for (title, what, list) in titled_lists(trends) {
        let class = title.to_lowercase();
        body.push_str(&format!("<section class=\"{class}\"><h2>{title}: {what}</h2>\n"));
        for trend in list {
            body.push_str(&entry(trend, colour(title), data.add(title, trend)));
        }
        if let Some(mood) =
            list.iter().find_map(|trend| mood(trend, str::to_owned)).filter(|_| title == "About")
        {
            body.push_str(&format!("<p><small>{}</small></p>\n", escaped(&mood)));
        }
        body.push_str("</section>\n");
    }
    body.push_str(&topics(trends, &mut data));
    body.push_str(&opinions(trends));
    body.push_str(&contradictions(trends));
    if !trends.changes.is_empty() {
        body.push_str("<section><h2>What changed in what is said</h2><ul>\n");
        for change in &trends.changes {
            let what = match change.what {
                ChangeKind::New => "first with",
                ChangeKind::Ended => "last with",
            };
            let said = change.source.as_ref().map(|source| escaped(&source.text)).unwrap_or_default();
            body.push_str(&format!(
                "<li><span>{}, {what}</span> <b>{}</b>: {said}</li>\n",
                escaped(&change.period),
                escaped(&change.name)
            ));
        }
        body.push_str("</ul></section>\n");
    }
    if trends.undated.count > 0 {
        body.push_str(&format!(
            "<footer>{} documents stand in no period: {}</footer>\n",
            trends.undated.count,
            escaped(&trends.undated.documents.join(", "))
        ));
    }
    let data = script_data(&data)?;
    Ok(StandalonePage { title: "Trends", style: STYLE, body: &body, data: &data, scripts: &[SCRIPT] }.html())
}

/// Headings, lists and paragraphs of a report in Markdown.
fn article(text: &str) -> String {
    let mut body = String::new();
    let mut in_list = false;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let item = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
        if item.is_some() != in_list {
            body.push_str(if in_list { "</ul>\n" } else { "<ul>\n" });
            in_list = !in_list;
        }
        let shown = |text: &str| bold(&escaped(text));
        let told = match item {
            Some(item) => format!("<li>{}</li>\n", shown(item)),
            None => match (line.trim_start_matches('#').trim_start(), line.starts_with('#')) {
                (title, true) if line.starts_with("##") => format!("<h2>{}</h2>\n", shown(title)),
                (title, true) => format!("<h1>{}</h1>\n", shown(title)),
                (line, false) => format!("<p>{}</p>\n", shown(line)),
            },
        };
        body.push_str(&told);
    }
    if in_list {
        body.push_str("</ul>\n");
    }
    body
}

/// Text between two stars twice as bold; the rest as it stands.
fn bold(text: &str) -> String {
    let parts: Vec<&str> = text.split("**").collect();
    if parts.len().is_multiple_of(2) {
        return text.to_owned();
    }
    let marked = parts
        .iter()
        .enumerate()
        .map(|(at, part)| if at.is_multiple_of(2) { (*part).to_owned() } else { format!("<b>{part}</b>") });
    marked.collect()
}

/// Topics with what they do.
fn topics<'a>(trends: &'a Trends, data: &mut TrendsPageData<'a>) -> String {
    let mut body = String::new();
    for topic in &trends.topics {
        let from =
            topic.grew_out_of.as_ref().map(|from| format!(", out of {}", from.name)).unwrap_or_default();
        body.push_str(&format!(
            "<p data-topic><b>{}</b> <small>{}{}</small></p>\n{}",
            escaped(&topic.members.join(", ")),
            topic.change.as_str(),
            escaped(&from),
            entry(&topic.trend, colour("Topics"), data.add("Topics", &topic.trend))
        ));
    }
    if body.is_empty() {
        body
    } else {
        format!("<section class=\"topics\"><h2>Topics</h2>\n{body}</section>\n")
    }
}

/// Who thinks what.
fn opinions(trends: &Trends) -> String {
    let mut body = String::new();
    for one in &trends.opinions {
        body.push_str(&format!(
            "<li><span>{}</span> <b>{}</b> on {}, {:+.2}: {} <span>{}</span></li>\n",
            escaped(&one.period),
            escaped(&one.holder),
            escaped(&one.target),
            one.sentiment,
            escaped(&one.quote.text),
            escaped(&one.quote.document)
        ));
    }
    if body.is_empty() {
        body
    } else {
        format!("<section><h2>Who thinks what</h2><ul>\n{body}</ul></section>\n")
    }
}

/// What is said otherwise than before, both sentences.
fn contradictions(trends: &Trends) -> String {
    let mut body = String::new();
    for found in &trends.contradictions {
        let side = |said: &Said| {
            format!("<li>{} <span>{}</span></li>", escaped(&said.source.text), escaped(&said.source.document))
        };
        body.push_str(&format!(
            "<li><b>{}</b>: {}, then {}<ul>{}{}</ul></li>\n",
            escaped(&found.about),
            escaped(&found.earlier.value),
            escaped(&found.later.value),
            side(&found.earlier),
            side(&found.later)
        ));
    }
    if body.is_empty() {
        body
    } else {
        format!("<section><h2>Said otherwise before</h2><ul>\n{body}</ul></section>\n")
    }
}

fn entry(trend: &Trend, colour: &str, number: usize) -> String {
    let kind = if trend.r#type.is_empty() { trend.kind.as_str() } else { trend.r#type.as_str() };
    let mut text = format!(
        "<details data-entry=\"{number}\"><summary><span>{} <small>{}</small></span><svg width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\" \
         aria-label=\"curve\">{}</svg><small>{} – {}</small><small>{:.1}</small></summary>\n<ul>\n",
        escaped(&trend.name),
        escaped(kind),
        curve(trend, WIDTH, colour),
        escaped(&trend.since),
        escaped(&trend.until),
        trend.score
    );
    for source in &trend.sources {
        let date = source.date.as_ref().map(|date| format!(", {date}")).unwrap_or_default();
        text.push_str(&format!(
            "<li>{} <span>{}{}, characters {}–{}</span></li>\n",
            escaped(&source.text),
            escaped(&source.document),
            escaped(&date),
            source.start,
            source.end
        ));
    }
    text.push_str("</ul></details>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_texts_say_runs_nothing_and_the_script_knows_what_an_entry_counts() {
        let hostile = "</script><script>alert(1)</script><!-- <img src=x onerror=alert(1)> ]]> & \u{2028}";
        let page = html(&super::super::tests::sample(hostile)).unwrap();
        let plain = html(&super::super::tests::sample("plain")).unwrap();
        for part in ["<script", "</script", "<!--", "<img", "\u{2028}\""] {
            assert_eq!(page.matches(part).count(), plain.matches(part).count(), "{part}");
        }
        let (_, rest) = page.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
        let data: serde_json::Value = serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap();
        let entry = &data["trends"][0];
        assert_eq!((&entry["name"], &entry["list"]), (&hostile.into(), &"Rising".into()));
        assert_eq!(entry["sentences"], serde_json::json!([0, 2, 8]));
        assert_eq!(data["documents"], serde_json::json!([2, 2, 2]));
        assert!(page.contains("<details data-entry=\"0\">"));
        let (_, rest) = page.split_once("script-src 'nonce-").unwrap();
        let nonce = rest.split_once('\'').unwrap().0;
        assert_eq!(page.matches("<script nonce=").count(), 1);
        assert!(page.contains(&format!("<script nonce=\"{nonce}\">")));
        assert!(!page.contains("http:") || !page.contains("src=\"http"), "nothing is fetched");
    }

    #[test]
    fn a_report_becomes_headings_lists_and_paragraphs() {
        let text = "# A against B\n\nTwo <i>documents</i>.\n\n## New\n\n- **Tarn** (3): It **opens. [1]\n- **Fell**\n\n[1] a.txt\n";
        assert_eq!(
            article(text),
            "<h1>A against B</h1>\n<p>Two &lt;i&gt;documents&lt;/i&gt;.</p>\n<h2>New</h2>\n<ul>\n\
             <li>**Tarn** (3): It **opens. [1]</li>\n<li><b>Fell</b></li>\n</ul>\n<p>[1] a.txt</p>\n"
        );
    }
}
