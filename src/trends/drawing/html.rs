//! Trends as a page in one file. It runs no script and asks the network for nothing: curves are drawn, points say their
//! numbers, and names unfold to their sentences.

use super::svg::{HEIGHT, colour, curve, escaped};
use super::{mood, span, titled_lists};
use crate::contradictions::Said;
use crate::trends::report::{ChangeKind, Trend, Trends};

/// Width of a curve.
const WIDTH: usize = 360;

const STYLE: &str = "body{font-family:system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem;color:#222;\
background:#fff}h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}details{border-top:1px solid #ddd;padding:.4rem 0}\
summary{display:grid;grid-template-columns:minmax(10rem,1fr) 24rem 9rem 4rem;gap:.8rem;align-items:center;cursor:pointer}\
summary small,figcaption,footer{color:#666}svg{overflow:visible}li{margin:.35rem 0}li span{color:#666;font-size:.85rem}\
footer{margin-top:2rem;font-size:.85rem}@media(max-width:50rem){summary{grid-template-columns:1fr}}";

/// The report as a page.
pub fn html(trends: &Trends) -> String {
    let mut body = match &trends.report {
        Some(report) => format!("<article>\n{}</article>\n<h1>Trends</h1>\n", article(&report.text)),
        None => "<h1>Trends</h1>\n".to_owned(),
    };
    body.push_str(&format!("<p>{}</p>\n", escaped(&span(trends))));
    for (title, what, list) in titled_lists(trends) {
        body.push_str(&format!("<section><h2>{title}: {what}</h2>\n"));
        for trend in list {
            body.push_str(&entry(trend, colour(title)));
        }
        if let Some(mood) =
            list.iter().find_map(|trend| mood(trend, str::to_owned)).filter(|_| title == "About")
        {
            body.push_str(&format!("<p><small>{}</small></p>\n", escaped(&mood)));
        }
        body.push_str("</section>\n");
    }
    body.push_str(&topics(trends));
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
    let nonce = blake3::hash(body.as_bytes()).to_hex();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'nonce-{nonce}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<title>Trends</title>\n<style nonce=\"{nonce}\">{STYLE}</style>\n\
         </head>\n<body>\n{body}</body>\n</html>\n"
    )
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
fn topics(trends: &Trends) -> String {
    let mut body = String::new();
    for topic in &trends.topics {
        let from =
            topic.grew_out_of.as_ref().map(|from| format!(", out of {}", from.name)).unwrap_or_default();
        body.push_str(&format!(
            "<p><b>{}</b> <small>{}{}</small></p>\n{}",
            escaped(&topic.members.join(", ")),
            topic.change.as_str(),
            escaped(&from),
            entry(&topic.trend, colour("Topics"))
        ));
    }
    if body.is_empty() { body } else { format!("<section><h2>Topics</h2>\n{body}</section>\n") }
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

fn entry(trend: &Trend, colour: &str) -> String {
    let kind = if trend.r#type.is_empty() { trend.kind.as_str() } else { trend.r#type.as_str() };
    let mut text = format!(
        "<details><summary><span>{} <small>{}</small></span><svg width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\" \
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
    fn a_report_becomes_headings_lists_and_paragraphs() {
        let text = "# A against B\n\nTwo <i>documents</i>.\n\n## New\n\n- **Tarn** (3): It **opens. [1]\n- **Fell**\n\n[1] a.txt\n";
        assert_eq!(
            article(text),
            "<h1>A against B</h1>\n<p>Two &lt;i&gt;documents&lt;/i&gt;.</p>\n<h2>New</h2>\n<ul>\n\
             <li>**Tarn** (3): It **opens. [1]</li>\n<li><b>Fell</b></li>\n</ul>\n<p>[1] a.txt</p>\n"
        );
    }
}
