//! Tables as they are sent: rows with the sentences of their citations, and as CSV.

use super::shapes::{
    CompletenessShape, DocumentName, RowSentence, Sentence, SupersededShape, TableRowShape, TableShape,
    TakenForShape, TotalShape,
};
use crate::domain::{Id, SourceSentence};
use crate::query::Answer;
use crate::query::answer::numbering::RecordNumbering;
use crate::query::answer::table::{Superseded, Table, TableRow};
use anyhow::Result;

/// A table whose sentences have links, each with its number in the answer's text.
pub(crate) fn shape(
    answer: &Answer,
    table: &Table,
    numbering: &mut RecordNumbering,
    sentence_of: &dyn Fn(&SourceSentence) -> Sentence,
) -> TableShape {
    let mut rows = |rows: &[TableRow]| -> Vec<TableRowShape> {
        rows.iter().map(|row| row_shape(answer, row, numbering, sentence_of)).collect()
    };
    let (sure, possible) = (rows(&table.rows), rows(&table.possible));
    let known = &table.completeness;
    TableShape {
        version: table.version,
        read_as: table.read_as.clone(),
        read_by: table.read_by,
        columns: columns(&sure, &possible),
        count: table.count,
        total: table.total,
        totals: table
            .totals
            .iter()
            .map(|sum| TotalShape { unit: sum.unit.clone(), total: sum.total })
            .collect(),
        rows: sure,
        possible,
        taken_for: table
            .taken_for
            .iter()
            .map(|taken| TakenForShape {
                written: taken.written.clone(),
                taken: taken.taken.clone(),
                near: taken.near.clone(),
                near_above: taken.near_above,
            })
            .collect(),
        unread: table.unread.clone(),
        completeness: CompletenessShape {
            documents: known.documents,
            text_units: known.text_units,
            extraction: known.extraction.clone(),
            rows_read: known.rows_read,
            not_shown: known.not_shown,
        },
    }
}

fn row_shape(
    answer: &Answer,
    row: &TableRow,
    numbering: &mut RecordNumbering,
    sentence_of: &dyn Fn(&SourceSentence) -> Sentence,
) -> TableRowShape {
    let mut sentences: Vec<RowSentence> = Vec::new();
    for citation in row.cited.iter().filter_map(|place| answer.citations.get(*place)) {
        let Some(sentence) = &citation.sentence else { continue };
        let n = numbering.of(citation.kind, citation.number);
        let sentence = sentence_of(sentence);
        if sentences.iter().all(|known| known.sentence != sentence) {
            sentences.push(RowSentence { n, sentence });
        }
    }
    TableRowShape {
        id: row.id.as_ref().map(ToString::to_string),
        name: row.name.clone(),
        kind: row.kind.clone(),
        number: row.number,
        said: row.said.clone(),
        first: row.first.map(|day| day.to_string()),
        last: row.last.map(|day| day.to_string()),
        records: row.records,
        sentences,
        superseded: row
            .superseded
            .iter()
            .map(|one| SupersededShape { earlier: sentence_of(&one.earlier), later: sentence_of(&one.later) })
            .collect(),
    }
}

/// The fields that any row has something in.
fn columns(sure: &[TableRowShape], possible: &[TableRowShape]) -> Vec<String> {
    let any = |has: fn(&TableRowShape) -> bool| sure.iter().chain(possible).any(has);
    [
        ("name", true),
        ("number", any(|row| row.number.is_some())),
        ("type", any(|row| !row.kind.is_empty())),
        ("said", any(|row| !row.said.is_empty())),
        ("first", any(|row| row.first.is_some())),
        ("last", any(|row| row.last.is_some() && row.last != row.first)),
        ("records", true),
    ]
    .into_iter()
    .filter(|(_, shown)| *shown)
    .map(|(name, _)| name.to_owned())
    .collect()
}

/// A table as CSV, a line a row and sentence.
///
/// # Errors
/// Only if memory cannot be written to.
pub(crate) fn csv(shape: &TableShape) -> Result<String> {
    let rows = |rows: &[TableRowShape]| rows.iter().map(row_of).collect();
    Table { rows: rows(&shape.rows), possible: rows(&shape.possible), ..Table::default() }.csv()
}

fn row_of(row: &TableRowShape) -> TableRow {
    let day = |day: &Option<String>| day.as_deref().and_then(|day| day.parse().ok());
    TableRow {
        id: None,
        name: row.name.clone(),
        kind: row.kind.clone(),
        number: row.number,
        said: row.said.clone(),
        first: day(&row.first),
        last: day(&row.last),
        records: row.records,
        sources: row.sentences.iter().map(|of| source_of(&of.sentence)).collect(),
        superseded: row
            .superseded
            .iter()
            .map(|one| Superseded {
                earlier: source_of(&one.earlier),
                later: source_of(&one.later),
                cited: [0, 0],
            })
            .collect(),
        cited: Vec::new(),
    }
}

fn source_of(sentence: &Sentence) -> SourceSentence {
    let DocumentName { key, .. } = &sentence.document;
    SourceSentence {
        document: key.clone(),
        date: None,
        text_unit_id: Id::from_stored(sentence.text_unit.as_str()),
        start: sentence.start,
        end: sentence.end,
        locator: None,
        last_locator: None,
        text: sentence.text.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::answer::table::Total;
    use serde_json::json;

    #[test]
    fn what_was_not_read_and_every_sum_is_sent() {
        let table = Table {
            unread: vec!["cheaply".to_owned()],
            totals: vec![
                Total { unit: "$".to_owned(), total: 7.0 },
                Total { unit: "€".to_owned(), total: 5.0 },
            ],
            ..Table::default()
        };
        let no_sentence = |_: &SourceSentence| -> Sentence { unreachable!("no row, no sentence") };
        let shape = shape(&Answer::default(), &table, &mut RecordNumbering::default(), &no_sentence);
        let sent = serde_json::to_value(&shape).unwrap();
        assert_eq!(sent["unread"], json!(["cheaply"]));
        assert_eq!(sent["totals"], json!([{"unit": "$", "total": 7.0}, {"unit": "€", "total": 5.0}]));
        let silent = serde_json::to_value(TableShape::default()).unwrap();
        assert!(silent.get("unread").is_none() && silent.get("totals").is_none());
    }
}
