//! Charts and diagrams, which stand in parts of their own: what a chart shows as a table, what a diagram says as lines.

use super::super::archive::{Archive, UnpackBudget};
use super::super::writer::{LocatedRow, Writer};
use super::super::xml::{Markup, Tag, XmlReader};
use super::relations::PartRelation;
use super::sheets;
use crate::language::unbroken;
use std::collections::{BTreeMap, BTreeSet};

/// Series and points of a chart.
const MAX_SERIES: usize = 255;
const MAX_POINTS: usize = 20_000;

/// What a drawing says.
#[derive(Debug)]
pub(super) enum Drawing {
    Diagram(Vec<String>),
    Chart { title: String, rows: Vec<LocatedRow> },
}

impl Drawing {
    /// Writes it where it stands.
    pub(super) fn write(&self, writer: &mut Writer) {
        match self {
            Self::Diagram(lines) => lines.iter().for_each(|line| writer.item(0, line)),
            Self::Chart { title, rows } => {
                writer.paragraph(title);
                writer.table(rows);
            }
        }
    }

    /// Whether it says nothing.
    fn is_empty(&self) -> bool {
        match self {
            Self::Diagram(lines) => lines.is_empty(),
            Self::Chart { title, rows } => title.is_empty() && rows.is_empty(),
        }
    }
}

/// The drawing that an element stands for, by its relation: a chart's own, or that of a diagram's words.
pub(super) fn named_by(tag: &Tag) -> Option<&str> {
    match tag.name.as_str() {
        "chart" => tag.relation(),
        "relIds" => tag.get("dm"),
        _ => None,
    }
}

/// The drawings that a part names, by their relations. A damaged one is none: the text around it counts.
pub(super) fn of(
    archive: &mut Archive<'_>,
    related: &[PartRelation],
    budget: &UnpackBudget,
) -> BTreeMap<String, Drawing> {
    let mut found = BTreeMap::new();
    for relation in related {
        let read: fn(&str) -> Result<Drawing, String> = match relation.kind.as_str() {
            "chart" => chart,
            "diagramData" => diagram,
            _ => continue,
        };
        if let Ok(Some(text)) = archive.xml(&relation.target, budget)
            && let Ok(drawing) = read(&text)
            && !drawing.is_empty()
        {
            found.insert(relation.id.clone(), drawing);
        }
    }
    found
}

/// The paragraphs of a diagram.
fn diagram(text: &str) -> Result<Drawing, String> {
    let (mut lines, mut line, mut in_text) = (Vec::new(), String::new(), false);
    let mut xml = XmlReader::new(text);
    while let Some(markup) = xml.next()? {
        match markup {
            Markup::Open(tag) => match tag.name.as_str() {
                // a name for the author's eyes, and where it leads
                "extLst" => xml.skip()?,
                "r" | "fld" => in_text = true,
                "br" => line.push(' '),
                _ => {}
            },
            Markup::Text(piece) if in_text => line.push_str(&piece),
            Markup::Text(_) => {}
            Markup::Close(name) => match name.as_str() {
                "r" | "fld" => in_text = false,
                "p" => {
                    let said = unbroken(&std::mem::take(&mut line));
                    if !said.is_empty() {
                        lines.push(said);
                    }
                }
                _ => {}
            },
        }
    }
    Ok(Drawing::Diagram(lines))
}

#[derive(Debug, Default)]
struct Series {
    name: String,
    categories: BTreeMap<u32, String>,
    values: BTreeMap<u32, String>,
}

/// Where the reader of a chart stands.
#[derive(Debug, Default)]
struct ChartCursor {
    /// `tx`, `cat` or `val` of the open series.
    role: String,
    /// The open point.
    point: u32,
    is_date: bool,
    points: usize,
}

/// A chart's title, and a row for each of its categories.
fn chart(text: &str) -> Result<Drawing, String> {
    let (mut title, mut series): (String, Vec<Series>) = (String::new(), Vec::new());
    let mut place = ChartCursor::default();
    let mut in_series = false;
    let mut xml = XmlReader::new(text);
    while let Some(markup) = xml.next()? {
        match markup {
            Markup::Open(tag) => match tag.name.as_str() {
                "ser" if series.len() < MAX_SERIES => {
                    in_series = true;
                    series.push(Series::default());
                }
                "ser" | "externalData" => xml.skip()?,
                "title" if !in_series && title.is_empty() => title = unbroken(&words_of_title(&mut xml)?),
                "tx" | "cat" | "val" | "xVal" | "yVal" if in_series => {
                    place.role.clone_from(&tag.name);
                    place.is_date = false;
                }
                "formatCode" => place.is_date = is_date_format(&xml.text()?),
                "pt" => place.point = tag.number("idx").unwrap_or(0),
                "v" if in_series && place.points < MAX_POINTS => {
                    let value = unbroken(&xml.text()?);
                    if let Some(series) = series.last_mut() {
                        place.points += 1;
                        series.take(&place, value);
                    }
                }
                _ => {}
            },
            Markup::Close(name) => match name.as_str() {
                "ser" => in_series = false,
                "tx" | "cat" | "val" | "xVal" | "yVal" => place.role.clear(),
                _ => {}
            },
            Markup::Text(_) => {}
        }
    }
    Ok(Drawing::Chart { title, rows: rows(&series) })
}

/// The words of a title that was just opened.
fn words_of_title(xml: &mut XmlReader<'_>) -> Result<String, String> {
    let (mut words, mut open, mut in_text) = (String::new(), 1_usize, false);
    while open > 0 {
        match xml.next()? {
            Some(Markup::Open(tag)) => {
                open += 1;
                in_text = matches!(tag.name.as_str(), "t" | "v");
            }
            Some(Markup::Close(name)) => {
                open -= 1;
                in_text = false;
                if name == "p" {
                    words.push(' ');
                }
            }
            Some(Markup::Text(piece)) if in_text => words.push_str(&piece),
            Some(Markup::Text(_)) => {}
            None => break,
        }
    }
    Ok(words)
}

/// Whether a format writes numbers as days.
fn is_date_format(code: &str) -> bool {
    let code = code.to_lowercase();
    code != "general" && code.contains('y') && (code.contains('m') || code.contains('d'))
}

impl Series {
    fn take(&mut self, place: &ChartCursor, value: String) {
        let value = match value.parse() {
            Ok(serial) if place.is_date => sheets::day(serial),
            Ok(number) if !matches!(place.role.as_str(), "tx" | "cat") => sheets::number_shown(number),
            _ => value,
        };
        match place.role.as_str() {
            "tx" => {
                self.name.push_str(if self.name.is_empty() { "" } else { " " });
                self.name.push_str(&value);
            }
            "cat" | "xVal" => {
                // a category of several levels has a name on each, the inner one first
                let name = self.categories.entry(place.point).or_default();
                let more = if name.is_empty() { "" } else { ", " };
                name.push_str(more);
                name.push_str(&value);
            }
            "val" | "yVal" => {
                self.values.insert(place.point, value);
            }
            _ => {}
        }
    }
}

/// A header with the names of the series, and a row a point.
fn rows(series: &[Series]) -> Vec<LocatedRow> {
    let points: BTreeSet<u32> = series
        .iter()
        .flat_map(|series| series.values.keys().chain(series.categories.keys()))
        .copied()
        .collect();
    if points.is_empty() {
        return Vec::new();
    }
    let row = |cells: Vec<String>| LocatedRow { cells, locator: None };
    let names = series.iter().zip(1..).map(|(series, number)| match series.name.as_str() {
        "" => number.to_string(),
        name => name.to_owned(),
    });
    let header = row(std::iter::once(String::new()).chain(names).collect());
    let body = points.into_iter().map(|point| {
        let category = series.iter().find_map(|series| series.categories.get(&point)).cloned();
        let values = series.iter().map(|series| series.values.get(&point).cloned().unwrap_or_default());
        row(std::iter::once(category.unwrap_or_else(|| (point + 1).to_string())).chain(values).collect())
    });
    std::iter::once(header).chain(body).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_is_a_table_of_its_series() {
        let points = |values: &[&str]| -> String {
            let point = |(at, value): (usize, &&str)| format!("<c:pt idx='{at}'><c:v>{value}</c:v></c:pt>");
            values.iter().enumerate().map(point).collect()
        };
        let text = format!(
            "<c:chartSpace xmlns:c='c' xmlns:a='a'><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Barrels of \
             oil</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:ser><c:tx><c:strRef><c:f>B1</c:f><c:strCache>{}\
             </c:strCache></c:strRef></c:tx><c:cat><c:numRef><c:numCache><c:formatCode>yyyy-mm-dd</c:formatCode>{}\
             </c:numCache></c:numRef></c:cat><c:val><c:numCache><c:formatCode>General</c:formatCode>{}</c:numCache></c:val>\
             </c:ser></c:plotArea></c:chart></c:chartSpace>",
            points(&["London"]),
            points(&["45292", "45323"]),
            points(&["19.2", "21.400000000000002"]),
        );
        let Drawing::Chart { title, rows } = chart(&text).unwrap() else { panic!("a chart") };
        assert_eq!(title, "Barrels of oil");
        let cells: Vec<String> = rows.iter().map(|row| row.cells.join("|")).collect();
        assert_eq!(cells, ["|London", "2024-01-01|19.2", "2024-02-01|21.4"]);
    }

    #[test]
    fn a_diagram_is_what_it_says() {
        let text = "<dgm:dataModel xmlns:dgm='d' xmlns:a='a'><dgm:ptLst><dgm:pt><dgm:t><a:p><a:r><a:t>Buy </a:t></a:r>\
            <a:r><a:t>oil</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt><dgm:t><a:p/></dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>";
        let Drawing::Diagram(lines) = diagram(text).unwrap() else { panic!("a diagram") };
        assert_eq!(lines, ["Buy oil"]);
    }
}
