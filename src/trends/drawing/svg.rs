//! Trends as a picture: a row each, its name, its curve, its first and last period.

use super::{span, titled_lists};
use crate::trends::report::{Trend, Trends};

/// Width of the names, of the curves and of a row.
const NAMES: usize = 280;
const CURVES: usize = 420;
const SPANS: usize = 170;
const ROW: usize = 34;
/// Height of a curve.
pub(super) const HEIGHT: usize = 26;
/// Characters of a name that are shown.
const LONGEST: usize = 36;
/// A colour a list.
const COLOURS: [(&str, &str); 6] = [
    ("About", "#4c5b8f"),
    ("Rising", "#1b7f4d"),
    ("Falling", "#b4472f"),
    ("New", "#2f6fb4"),
    ("Gone", "#7d6b58"),
    ("Steady", "#777777"),
];

/// The colour of a list.
pub(super) fn colour(title: &str) -> &'static str {
    COLOURS.iter().find(|(name, _)| *name == title).map_or("#777777", |(_, colour)| colour)
}

/// The report as SVG.
pub fn svg(trends: &Trends) -> String {
    let lists = titled_lists(trends);
    let rows: usize = lists.iter().map(|(_, _, list)| list.len() + 1).sum();
    let (width, height) = (NAMES + CURVES + SPANS + 40, rows * ROW + 70);
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"13\">\n<title>Trends</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
         <text x=\"20\" y=\"30\" font-size=\"16\" fill=\"#222222\">{}</text>\n",
        escaped(&span(trends))
    );
    let mut y = 50;
    for (title, what, list) in lists {
        text.push_str(&format!(
            "<text x=\"20\" y=\"{}\" font-weight=\"bold\" fill=\"{}\">{title}: {what}</text>\n",
            y + 20,
            colour(title)
        ));
        y += ROW;
        for trend in list {
            let name: String = trend.name.chars().take(LONGEST).collect();
            text.push_str(&format!(
                "<text x=\"20\" y=\"{}\" fill=\"#222222\">{}</text>\n<g transform=\"translate({} {y})\">{}</g>\n\
                 <text x=\"{}\" y=\"{}\" fill=\"#666666\" font-size=\"11\">{} – {}</text>\n",
                y + 18,
                escaped(&name),
                NAMES,
                curve(trend, CURVES, colour(title)),
                NAMES + CURVES + 15,
                y + 18,
                escaped(&trend.since),
                escaped(&trend.until)
            ));
            y += ROW;
        }
    }
    text.push_str("</svg>\n");
    text
}

/// A curve with a point a period that says what it stands for.
pub(super) fn curve(trend: &Trend, width: usize, colour: &str) -> String {
    let most = trend.curve.iter().copied().fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let steps = trend.curve.len().saturating_sub(1).max(1) as f64;
    let points: Vec<(f64, f64)> = trend
        .curve
        .iter()
        .enumerate()
        .map(|(at, value)| {
            (at as f64 / steps * width as f64, 2.0 + (1.0 - value / most) * (HEIGHT - 4) as f64)
        })
        .collect();
    let line: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let mut text = format!(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\"/>",
        line.join(" ")
    );
    for (((x, y), value), period) in points.iter().zip(&trend.curve).zip(&trend.periods) {
        text.push_str(&format!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.4\" fill=\"{colour}\"><title>{}: {value} a document</title></circle>",
            escaped(period)
        ));
    }
    text
}

/// A text that begins no markup, without what XML cannot hold.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}
