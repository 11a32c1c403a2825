//! Statements that show in Neo4j Browser what an answer rests on. They are files of ours; ids go beside them as
//! parameters.

use super::answer::Answer;
use super::plans::ColumnType;
use crate::domain::{Id, RecordKind};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Ids of one parameter at most: Browser draws no more nodes well.
const MOST: usize = 100;

const RELATIONSHIPS: &str = include_str!("../../cypher/show/relationships.cypher");
const TEXT_UNITS: &str = include_str!("../../cypher/show/text_units.cypher");
const ENTITIES: &str = include_str!("../../cypher/show/entities.cypher");
const CLAIMS: &str = include_str!("../../cypher/show/claims.cypher");
const DOCUMENTS: &str = include_str!("../../cypher/show/documents.cypher");
const QUESTIONS: &str = include_str!("../../cypher/show/questions.cypher");
const REPORTS: &str = include_str!("../../cypher/show/reports.cypher");

/// What shows an answer in Neo4j Browser.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Statements {
    /// Parameters of all statements, by name.
    pub parameters: BTreeMap<&'static str, Value>,
    /// Statements, each with a comment before it.
    pub statements: Vec<&'static str>,
}

/// The statements for an answer: those that find something.
pub fn statements_for(answer: &Answer, workspace: &str) -> Statements {
    let cited = |kind: RecordKind| -> BTreeSet<&Id> {
        answer
            .citations
            .iter()
            .filter(|citation| citation.kind == kind)
            .map(|citation| &citation.id)
            .collect()
    };
    let mut entities = cited(RecordKind::Entities);
    entities.extend(answer.entities.iter().map(|entity| &entity.id));
    let mut units = cited(RecordKind::Sources);
    units.extend(
        answer.citations.iter().filter_map(|c| c.sentence.as_ref()).map(|sentence| &sentence.text_unit_id),
    );
    let rows = answer.table.as_ref().map(|table| table.rows.as_slice()).unwrap_or_default();
    let is_of = |sort: ColumnType| answer.table.as_ref().is_some_and(|table| table.rows_are == Some(sort));
    let documents: BTreeSet<&Id> =
        rows.iter().filter(|_| is_of(ColumnType::Document)).filter_map(|row| row.id.as_ref()).collect();
    let all = [
        ("documents", documents, DOCUMENTS),
        ("relationships", cited(RecordKind::Relationships), RELATIONSHIPS),
        ("claims", cited(RecordKind::Claims), CLAIMS),
        ("reports", cited(RecordKind::Reports), REPORTS),
        ("text_units", units, TEXT_UNITS),
        ("entities", entities, ENTITIES),
    ];
    let mut made = Statements::default();
    made.parameters.insert("workspace", json!(workspace));
    // text units are shown with the entities of the answer
    made.parameters.insert("entities", json!([]));
    for (name, ids, statement) in all {
        if ids.is_empty() {
            continue;
        }
        let ids: Vec<&Id> = ids.into_iter().take(MOST).collect();
        made.parameters.insert(name, json!(ids));
        made.statements.push(statement);
    }
    if let Some(library) = &answer.library {
        made.parameters.insert("questions", json!([library.entry.id]));
        made.statements.push(QUESTIONS);
    }
    made
}

impl Statements {
    /// As Browser takes it: the parameters first, then each statement.
    pub fn text(&self) -> String {
        // names without quotation marks: Browser reads a map of Cypher
        let parameters: Vec<String> =
            self.parameters.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        let parameters = format!("{{{}}}", parameters.join(", "));
        let statements = self.statements.iter().map(|statement| format!("{};", statement.trim_end()));
        std::iter::once(format!(":params {parameters}")).chain(statements).collect::<Vec<_>>().join("\n\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::answer::table::{Table, TableRow};
    use crate::query::answer::{Citation, NamedRecord, Proposal, StandardAnswer};

    #[test]
    fn a_standard_answer_is_shown_by_its_entry() {
        let entry = Proposal { id: "card-1".to_owned(), question: "How?".to_owned(), confidence: None };
        let library =
            Some(StandardAnswer { entry, stale: Vec::new(), rests_on: Vec::new(), related: Vec::new() });
        let shown = statements_for(&Answer { library, ..Answer::default() }, "default");
        assert_eq!(shown.parameters.get("questions"), Some(&json!(["card-1"])));
        assert!(shown.text().contains("UNWIND $questions AS key"), "{}", shown.text());
    }

    #[test]
    fn documents_that_are_rows_are_shown_with_what_they_mention() {
        let row = TableRow { id: Some(Id::from_stored("d1")), ..TableRow::default() };
        let table = Some(Table { rows: vec![row], rows_are: Some(ColumnType::Document), ..Table::default() });
        let entities = vec![NamedRecord { id: Id::from_stored("e1"), name: "N".to_owned(), score: 1.0 }];
        let shown = statements_for(&Answer { entities, table, ..Answer::default() }, "default");
        assert_eq!(shown.parameters.get("documents"), Some(&json!(["d1"])));
        assert_eq!(shown.parameters.get("entities"), Some(&json!(["e1"])));
        let text = shown.text();
        assert!(text.contains("UNWIND $documents AS id"), "{text}");
        assert!(
            text.starts_with(r#":params {documents: ["d1"], entities: ["e1"], workspace: "default"}"#),
            "{text}"
        );
    }

    #[test]
    fn ids_stand_in_parameters_and_in_no_statement() {
        let id = Id::from_stored("0123");
        let citation = Citation {
            kind: RecordKind::Relationships,
            number: 1,
            id: id.clone(),
            name: String::new(),
            headings: Vec::new(),
            sentence: None,
        };
        let entity = NamedRecord { id: Id::from_stored("4567"), name: "B".to_owned(), score: 1.0 };
        let answer = Answer { citations: vec![citation], entities: vec![entity], ..Answer::default() };
        let shown = statements_for(&answer, "a\"b");
        assert_eq!(shown.statements.len(), 2);
        let text = shown.text();
        let (parameters, statements) = text.split_once("\n\n").unwrap();
        assert!(
            parameters.contains("0123") && parameters.contains("4567") && parameters.contains(r#"a\"b"#),
            "{text}"
        );
        assert!(!statements.contains("0123") && statements.contains("$relationships"), "{text}");
    }
}
