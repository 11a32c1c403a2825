//! A table with proof: rows that the graph gives, each with the sentences that it rests on.

use super::Citation;
use crate::domain::{Day, Id, SourceSentence};
use crate::language::words::is_han;
use crate::language::{Language, one_line};
use crate::library::tables::as_text;
use crate::llm::reply;
use crate::query::plans::ColumnType;
use anyhow::Result;
use serde::{Deserialize, Serialize};

/// Version of the shape of [`Table`].
pub const TABLE_VERSION: u32 = 1;
/// Characters of a cell of the printed table.
const CELL: usize = 60;

/// The rows that answer a question.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Table {
    /// Version of this shape: 1.
    pub version: u32,
    /// What the question was taken to ask for, in words.
    pub read_as: String,
    /// Who took it so.
    pub read_by: ReadBy,
    /// The number of rows that the records say, where they are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// The sum of the rows' numbers, where they are added up and are all of one unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
    /// The sums of the rows' numbers, where they are added up: each unit for itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub totals: Vec<Total>,
    /// Rows that the records say.
    pub rows: Vec<TableRow>,
    /// Rows that the records say something like.
    pub possible: Vec<TableRow>,
    /// Which types of relationships were taken for which words of the question.
    pub taken_for: Vec<TakenFor>,
    /// How complete it can be.
    pub completeness: Completeness,
    /// Words of the question that nothing was looked for by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<String>,
    /// What the rows are.
    #[serde(skip)]
    pub rows_are: Option<ColumnType>,
    /// Whether rows are chosen by when it was, so that those without a day stand among the possible ones.
    #[serde(skip)]
    pub by_time: bool,
}

/// What the amounts of rows come to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Total {
    /// `$`, `€`, `£`, `¥`, or the word behind the numbers; empty where none stands there.
    pub unit: String,
    /// Their sum.
    pub total: f64,
}

impl Total {
    fn describe(&self) -> String {
        let sum = number(self.total);
        match self.unit.as_str() {
            "" => sum,
            sign @ ("$" | "€" | "£" | "¥") => format!("{sign}{sum}"),
            unit => format!("{sum} {}", safe(unit)),
        }
    }
}

/// Who read a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReadBy {
    /// Closed patterns, without a model.
    #[default]
    Patterns,
    /// A model, whose form was checked as that of a pattern is.
    Model,
}

/// One row.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TableRow {
    /// The entity, document, claim or community; absent for a year or a step of a path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Id>,
    /// Its name; a document's key, a community's title, a step's ends.
    pub name: String,
    /// An entity's type; empty where unknown.
    pub kind: String,
    /// What it is ranked by, or the amount that is added up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<f64>,
    /// What the records say, in their words, each once.
    pub said: Vec<String>,
    /// First day that the records speak of, else of their documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<Day>,
    /// Last such day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Day>,
    /// Records that it rests on.
    pub records: usize,
    /// Sentences that say it, of the first of these records.
    pub sources: Vec<SourceSentence>,
    /// Sentences that say it, each with that of a later document which contradicts it; only where all are contradicted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub superseded: Vec<Superseded>,
    /// Places in the answer's citations.
    #[serde(skip)]
    pub cited: Vec<usize>,
}

/// What one document says and a later one contradicts.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Superseded {
    /// What was said.
    pub earlier: SourceSentence,
    /// What was said later.
    pub later: SourceSentence,
    /// Places of both in the answer's citations.
    #[serde(skip)]
    pub cited: [usize; 2],
}

/// Words of a question and what was taken for them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TakenFor {
    /// The question's words.
    pub written: String,
    /// The records' words, or the class of a noun.
    pub taken: Vec<String>,
    /// Words of the records around what the question names that mean the same by their vectors, nearest first.
    pub near: Vec<String>,
    /// The cosine above which they do, as it was measured for the embedding model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub near_above: Option<f64>,
}

/// What a table can know.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Completeness {
    /// Documents that are indexed.
    pub documents: u64,
    /// Text units that they were cut into.
    pub text_units: u64,
    /// How they were read: by rules, by which model.
    pub extraction: String,
    /// Rows of the graph that were read for it.
    pub rows_read: u64,
    /// Rows that are not shown.
    pub not_shown: u64,
}

impl Table {
    /// Whether no row holds any more, and records say of some that they held before and by what that is over.
    pub fn is_of_the_past(&self) -> bool {
        self.rows.is_empty() && self.possible.iter().any(|row| !row.superseded.is_empty())
    }

    /// The table as Markdown, with the citations of each row behind it.
    pub fn text(&self, citations: &[Citation], language: Language) -> String {
        let chinese = language == Language::Chinese;
        let mut text = self.head(chinese);
        if !self.rows.is_empty() {
            text.push_str("\n\n");
            text.push_str(&lines(&self.rows, citations, chinese));
        }
        let (before, possible): (Vec<TableRow>, Vec<TableRow>) =
            self.possible.iter().cloned().partition(|row| !row.superseded.is_empty());
        if !before.is_empty() {
            text.push_str(if chinese {
                "\n\n以前如此，后来的文档另有说法：\n\n"
            } else {
                "\n\nSo before, and a later document says otherwise:\n\n"
            });
            text.push_str(&lines(&before, citations, chinese));
        }
        if !possible.is_empty() {
            text.push_str(match (self.by_time, chinese) {
                (true, true) => "\n\n记录没有说明时间，可能更早或更晚：\n\n",
                (true, false) => {
                    "\n\nWithout a day in the records, so that they may be earlier or later:\n\n"
                }
                (false, true) => "\n\n可能还有（记录只说到类似的事）：\n\n",
                (false, false) => "\n\nPossibly also, the records say something like it:\n\n",
            });
            text.push_str(&lines(&possible, citations, chinese));
        }
        text.push_str(&self.superseded(citations, chinese));
        text.push_str("\n\n");
        text.push_str(&self.foot(chinese));
        text
    }

    fn head(&self, chinese: bool) -> String {
        let told = safe(&self.read_as);
        let totals: Vec<String> =
            self.totals.iter().map(|total| format!("**{}**", total.describe())).collect();
        let totals = (!totals.is_empty()).then(|| totals.join(if chinese { "，" } else { ", " }));
        match (self.count, totals, chinese) {
            (Some(count), _, false) => format!("**{count}** ({told})"),
            (Some(count), _, true) => format!("**{count}**（{told}）"),
            (None, Some(totals), false) => format!("{totals} in all ({told})"),
            (None, Some(totals), true) => format!("合计 {totals}（{told}）"),
            (None, None, _) if !self.rows.is_empty() => {
                format!("{}{}", told, if chinese { "：" } else { ":" })
            }
            (None, None, false) if self.by_time && !self.possible.is_empty() => {
                format!("No record says when: {told}.")
            }
            (None, None, true) if self.by_time && !self.possible.is_empty() => {
                format!("没有记录说明时间：{told}。")
            }
            (None, None, false) => format!("No record says so: {told}."),
            (None, None, true) => format!("没有记录这样说：{told}。"),
        }
    }

    /// What later documents contradict, a line a row: both sentences with their documents' dates.
    fn superseded(&self, citations: &[Citation], chinese: bool) -> String {
        let mut lines: Vec<String> = Vec::new();
        for row in self.rows.iter().chain(&self.possible) {
            for Superseded { earlier, later, cited } in &row.superseded {
                let cite = |place: &usize| citations.get(*place).map(bracket).unwrap_or_default();
                let [one, other] = cited.each_ref().map(cite);
                let (name, earlier, later) = (safe(&row.name), quoted(earlier), quoted(later));
                lines.push(if chinese {
                    format!("- {name}：{earlier} {one}，后来：{later} {other}")
                } else {
                    format!("- {name}: {earlier} {one}, later: {later} {other}")
                });
            }
        }
        if lines.is_empty() {
            return String::new();
        }
        let head = if chinese { "被后来的文档取代：" } else { "Superseded by a later document:" };
        format!("\n\n{head}\n\n{}", lines.join("\n"))
    }

    fn foot(&self, chinese: bool) -> String {
        let known = &self.completeness;
        let mut taken: Vec<String> = self.taken_for.iter().map(|taken| taken.describe(chinese)).collect();
        if self.read_by == ReadBy::Model {
            let told = if chinese { "问题由模型解读。" } else { "A model read the question." };
            taken.insert(0, told.to_owned());
        }
        if !self.unread.is_empty() {
            let words: Vec<String> = self.unread.iter().map(|word| format!("“{}”", safe(word))).collect();
            taken.push(if chinese {
                format!("问题中没有读懂、未用来筛选的词：{}。", words.join("、"))
            } else {
                format!("Not read in the question, so that no row was chosen by it: {}.", words.join(", "))
            });
        }
        let hidden = match (known.not_shown, chinese) {
            (0, _) => String::new(),
            (count, false) => format!(" {count} more rows are not shown."),
            (count, true) => format!("另有 {count} 行未列出。"),
        };
        let read = if chinese {
            format!(
                "依据 {} 个文档（{} 个文本单元，读取方式：{}）；未被读出的内容不在表中。{hidden}",
                known.documents,
                known.text_units,
                safe(&known.extraction)
            )
        } else {
            format!(
                "From {} documents ({} text units), read {}; what was not read out of them is not in the table.{hidden}",
                known.documents,
                known.text_units,
                safe(&known.extraction)
            )
        };
        taken.into_iter().chain([read]).collect::<Vec<_>>().join(if chinese { "" } else { " " })
    }

    /// The table as CSV, a line a row and sentence; cells that a spreadsheet would compute are marked as text.
    ///
    /// # Errors
    /// Only if memory cannot be written to.
    pub fn csv(&self) -> Result<String> {
        let mut out = csv::Writer::from_writer(Vec::new());
        out.write_record([
            "name",
            "type",
            "number",
            "said",
            "first",
            "last",
            "records",
            "sure",
            "document",
            "start",
            "end",
            "sentence",
            "superseded",
        ])?;
        for (rows, sure) in [(&self.rows, "yes"), (&self.possible, "no")] {
            for row in rows {
                let own = [
                    row.name.clone(),
                    row.kind.clone(),
                    row.number.map(number).unwrap_or_default(),
                    row.said.join("; "),
                    row.first.map(|day| day.to_string()).unwrap_or_default(),
                    row.last.map(|day| day.to_string()).unwrap_or_default(),
                    row.records.to_string(),
                    sure.to_owned(),
                ];
                let sources: Vec<[String; 4]> = row.sources.iter().map(source_cells).collect();
                let sources = if sources.is_empty() { vec![<[String; 4]>::default()] } else { sources };
                let later: Vec<&str> = row.superseded.iter().map(|one| one.later.text.as_str()).collect();
                let later = [later.join("; ")];
                for source in &sources {
                    let cells: Vec<_> =
                        own.iter().chain(source).chain(&later).map(|cell| as_text(cell)).collect();
                    out.write_record(cells.iter().map(|cell| cell.as_bytes()))?;
                }
            }
        }
        Ok(String::from_utf8(out.into_inner()?)?)
    }
}

impl TakenFor {
    fn describe(&self, chinese: bool) -> String {
        let list = |words: &[String]| {
            let words: Vec<String> = words.iter().map(|word| safe(word)).collect();
            words.join(if chinese { "、" } else { ", " })
        };
        let above = self.near_above.map(|above| format!("{above:.2}")).unwrap_or_default();
        let near = match (self.near.is_empty(), chinese) {
            (true, _) => String::new(),
            (false, false) => format!("by meaning (cosine above {above}): {}", list(&self.near)),
            (false, true) => format!("按含义（余弦大于 {above}）：{}", list(&self.near)),
        };
        let both = [list(&self.taken), near];
        let both: Vec<String> = both.into_iter().filter(|words| !words.is_empty()).collect();
        let written = safe(&self.written);
        if chinese {
            format!("“{written}”取：{}。", both.join("；"))
        } else {
            format!("“{written}” was taken for: {}.", both.join("; "))
        }
    }
}

fn source_cells(source: &SourceSentence) -> [String; 4] {
    [source.document.clone(), source.start.to_string(), source.end.to_string(), source.text.clone()]
}

/// A number without needless decimals.
pub fn number(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A text of others in a cell: one line, no border of the table, no citation of its own.
fn safe(text: &str) -> String {
    let line = one_line(&reply::without_citations(text)).replace('|', "/");
    if line.chars().count() <= CELL * 4 {
        return line;
    }
    line.chars().take(CELL * 4).chain(['…']).collect()
}

/// Columns in characters of a terminal.
fn width(text: &str) -> usize {
    text.chars().map(|c| if is_han(c) || ('\u{ff00}'..='\u{ffef}').contains(&c) { 2 } else { 1 }).sum()
}

fn lines(rows: &[TableRow], citations: &[Citation], chinese: bool) -> String {
    let numbered = rows.iter().any(|row| row.number.is_some());
    let typed = rows.iter().any(|row| !row.kind.is_empty());
    let said = rows.iter().any(|row| !row.said.is_empty());
    let dated = rows.iter().any(|row| row.first.is_some());
    let label = |english: &str, han: &str| if chinese { han.to_owned() } else { english.to_owned() };
    let heads = [
        (true, label("name", "名称")),
        (numbered, label("number", "数")),
        (typed, label("type", "类型")),
        (said, label("said", "说法")),
        (dated, label("when", "时间")),
        (true, label("records", "记录")),
    ];
    let shown: Vec<bool> = heads.iter().map(|(shown, _)| *shown).collect();
    let mut grid: Vec<Vec<String>> = vec![heads.iter().map(|(_, head)| head.clone()).collect()];
    grid.extend(rows.iter().map(cells));
    let widths: Vec<usize> = (0..shown.len())
        .map(|column| {
            grid.iter().filter_map(|row| row.get(column)).map(|cell| width(cell)).max().unwrap_or(0)
        })
        .collect();
    let line = |row: &[String], proof: &str| {
        let cells = row.iter().zip(&widths).zip(&shown).filter(|(_, shown)| **shown);
        let cells: Vec<String> =
            cells.map(|((cell, most), _)| format!("{cell}{}", " ".repeat(most - width(cell)))).collect();
        format!("| {} | {proof} |", cells.join(" | "))
    };
    let mut out: Vec<String> = Vec::new();
    for (place, row) in grid.iter().enumerate() {
        let proof = match place.checked_sub(1).and_then(|place| rows.get(place)) {
            Some(row) => brackets(row, citations),
            None => label("proof", "依据"),
        };
        out.push(line(row, &proof));
        if place == 0 {
            let bars: Vec<String> = widths
                .iter()
                .zip(&shown)
                .filter(|(_, shown)| **shown)
                .map(|(most, _)| "-".repeat(*most))
                .collect();
            out.push(format!("| {} | ----- |", bars.join(" | ")));
        }
    }
    out.join("\n")
}

fn cells(row: &TableRow) -> Vec<String> {
    let short = |text: String| {
        if text.chars().count() > CELL { text.chars().take(CELL - 1).chain(['…']).collect() } else { text }
    };
    let when = match (row.first, row.last) {
        (Some(first), Some(last)) if first != last => format!("{first} – {last}"),
        (Some(day), _) => day.to_string(),
        (None, _) => String::new(),
    };
    vec![
        short(safe(&row.name)),
        row.number.map(number).unwrap_or_default(),
        short(safe(&row.kind)),
        short(row.said.iter().map(|said| safe(said)).collect::<Vec<_>>().join("; ")),
        when,
        row.records.to_string(),
    ]
}

/// The citations of a row, a bracket a kind.
fn brackets(row: &TableRow, citations: &[Citation]) -> String {
    let mut out: Vec<String> = Vec::new();
    for citation in row.cited.iter().filter_map(|place| citations.get(*place)) {
        let bracket = bracket(citation);
        if !out.contains(&bracket) {
            out.push(bracket);
        }
    }
    out.concat()
}

fn bracket(citation: &Citation) -> String {
    format!("[Data: {} ({})]", reply::kind_title(citation.kind), citation.number)
}

/// A sentence in quotation marks, with its document's date where it has one.
fn quoted(source: &SourceSentence) -> String {
    let date = source.date.as_ref().map(|date| format!(" ({})", date.written)).unwrap_or_default();
    format!("“{}”{date}", safe(&source.text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, said: &str) -> TableRow {
        TableRow { name: name.to_owned(), said: vec![said.to_owned()], records: 1, ..TableRow::default() }
    }

    #[test]
    fn a_table_is_of_the_past_where_all_it_has_is_superseded() {
        let sentence = || SourceSentence {
            document: "a.txt".to_owned(),
            date: None,
            text_unit_id: Id::from_stored("u"),
            start: 0,
            end: 1,
            locator: None,
            last_locator: None,
            text: "x".to_owned(),
        };
        let ended = Superseded { earlier: sentence(), later: sentence(), cited: [0, 0] };
        let over = TableRow { superseded: vec![ended], ..row("A", "owns") };
        let table =
            |rows: Vec<TableRow>, possible: Vec<TableRow>| Table { rows, possible, ..Table::default() };
        assert!(table(Vec::new(), vec![over.clone()]).is_of_the_past());
        assert!(!table(vec![row("B", "owns")], vec![over]).is_of_the_past());
        assert!(!table(Vec::new(), vec![row("A", "owns")]).is_of_the_past());
    }

    #[test]
    fn cells_of_others_break_no_border_and_cite_nothing() {
        let table = Table {
            version: TABLE_VERSION,
            read_as: "list companies".to_owned(),
            rows: vec![row("Evil | Corp", "bought [Data: Sources (1)]"), row("微软", "收购")],
            ..Table::default()
        };
        let text = table.text(&[], Language::English);
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
        assert!(lines.iter().all(|line| line.matches('|').count() == 5), "{text}");
        assert!(!text.contains("[Data"), "{text}");
        assert_eq!(
            width(lines[2].rsplit_once(" |  |").unwrap().0),
            width(lines[3].rsplit_once(" |  |").unwrap().0)
        );
    }

    #[test]
    fn csv_holds_a_line_a_row_and_no_formula() {
        let table =
            Table { rows: vec![row("=1+1", "bought")], possible: vec![row("B", "x")], ..Table::default() };
        let csv = table.csv().unwrap();
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines[1], "'=1+1,,,bought,,,1,yes,,,,,");
        assert_eq!(lines.len(), 3);
    }

    #[test]
    fn numbers_have_no_needless_decimals() {
        assert_eq!((number(3.0), number(2.5)), ("3".to_owned(), "2.5".to_owned()));
    }
}
