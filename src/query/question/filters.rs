//! What a question may be answered from: `--filter key=value`.

use crate::domain::{Document, Id};
use crate::stores::graph::GraphReader;
use crate::stores::vectors::Filter;
use anyhow::{Result, bail, ensure};
use globset::{GlobBuilder, GlobMatcher};
use std::collections::BTreeSet;

/// Documents read at a time.
const PAGE: usize = 1000;

/// Restrictions; all must hold, several values of one key are alternatives.
#[derive(Clone, Debug, Default)]
pub struct Filters {
    conditions: Vec<Condition>,
}

#[derive(Clone, Debug)]
struct Condition {
    key: String,
    comparison: Operator,
    value: String,
    glob: Option<GlobMatcher>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    AtLeast,
    AtMost,
}

impl Filters {
    /// Reads `document=KEY`, `path=GLOB`, `type=KIND`, or a key of the documents' metadata: `author=Dickens`,
    /// `date>=1843-01-01`, `date<=1850`.
    ///
    /// # Errors
    /// Something without `=`, an empty key or value, a glob that is none.
    pub fn parse(texts: &[String]) -> Result<Self> {
        let mut conditions = Vec::new();
        for text in texts {
            let Some((key, value)) = text.split_once('=') else {
                bail!("--filter {text:?}: write key=value, such as path=docs/*.txt or type=Person");
            };
            let (key, comparison) = match key.trim() {
                key if key.ends_with('>') => (key.trim_end_matches('>'), Operator::AtLeast),
                key if key.ends_with('<') => (key.trim_end_matches('<'), Operator::AtMost),
                key => (key, Operator::Equal),
            };
            let (key, value) = (key.trim().to_lowercase(), value.trim().to_owned());
            ensure!(
                !key.is_empty() && !value.is_empty(),
                "--filter {text:?}: key and value must not be empty"
            );
            let glob = if comparison == Operator::Equal && key != "document" && key != "type" {
                let glob = GlobBuilder::new(&value)
                    .case_insensitive(key != "path")
                    .build()
                    .map_err(|error| anyhow::anyhow!("--filter {text:?}: {error}"))?;
                Some(glob.compile_matcher())
            } else {
                None
            };
            conditions.push(Condition { key, comparison, value, glob });
        }
        Ok(Self { conditions })
    }

    /// Whether nothing is restricted.
    pub fn is_empty(&self) -> bool {
        self.conditions.is_empty()
    }

    /// The filters of the vector store: which documents, which types of entities.
    ///
    /// # Errors
    /// What the store says; restrictions that no document meets, by name.
    pub async fn resolve(&self, reader: &dyn GraphReader) -> Result<ResolvedFilters> {
        let kinds: Vec<String> =
            self.conditions.iter().filter(|c| c.key == "type").map(|c| c.value.clone()).collect();
        let mut resolved =
            ResolvedFilters { documents: None, kinds: if kinds.is_empty() { None } else { Some(kinds) } };
        if self.conditions.iter().all(|c| c.key == "type") {
            return Ok(resolved);
        }
        let mut allowed = BTreeSet::new();
        let mut after: Option<String> = None;
        loop {
            let page = reader.documents(after.as_deref(), PAGE).await?;
            let done = page.len() < PAGE;
            after = page.last().map(|document| document.key.clone());
            allowed.extend(
                page.into_iter().filter(|document| self.allows(document)).map(|document| document.id),
            );
            if done {
                break;
            }
        }
        ensure!(!allowed.is_empty(), "no document meets --filter {}", self.describe());
        resolved.documents = Some(allowed);
        Ok(resolved)
    }

    fn allows(&self, document: &Document) -> bool {
        let keys: BTreeSet<&str> =
            self.conditions.iter().map(|c| c.key.as_str()).filter(|key| *key != "type").collect();
        keys.into_iter().all(|key| {
            let of_key = || self.conditions.iter().filter(move |c| c.key == key);
            let any_equal = of_key().all(|c| c.comparison != Operator::Equal)
                || of_key().filter(|c| c.comparison == Operator::Equal).any(|c| c.holds(document));
            any_equal && of_key().filter(|c| c.comparison != Operator::Equal).all(|c| c.holds(document))
        })
    }

    fn describe(&self) -> String {
        let sign = |comparison| match comparison {
            Operator::Equal => "=",
            Operator::AtLeast => ">=",
            Operator::AtMost => "<=",
        };
        let all: Vec<String> =
            self.conditions.iter().map(|c| format!("{}{}{}", c.key, sign(c.comparison), c.value)).collect();
        all.join(" ")
    }
}

impl Condition {
    fn holds(&self, document: &Document) -> bool {
        let known = match self.key.as_str() {
            "document" => return document.key == self.value || document.title == self.value,
            "path" => Some(&document.key),
            "title" => Some(&document.title),
            key => {
                document.metadata.iter().find(|(name, _)| name.to_lowercase() == key).map(|(_, value)| value)
            }
        };
        let Some(known) = known else { return false };
        match self.comparison {
            Operator::Equal => {
                *known == self.value || self.glob.as_ref().is_some_and(|glob| glob.is_match(known))
            }
            Operator::AtLeast => compare(known, &self.value).is_ge(),
            // "1850" holds for every day of 1850
            Operator::AtMost => known.starts_with(&self.value) || compare(known, &self.value).is_le(),
        }
    }
}

/// By number where both are numbers, else by code points, which is right for ISO 8601 dates.
fn compare(one: &str, other: &str) -> std::cmp::Ordering {
    match (one.trim().parse::<f64>(), other.trim().parse::<f64>()) {
        (Ok(one), Ok(other)) => one.total_cmp(&other),
        _ => one.trim().cmp(other.trim()),
    }
}

/// Restrictions in terms of ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResolvedFilters {
    /// Only text units of these documents.
    pub documents: Option<BTreeSet<Id>>,
    /// Only entities of these types.
    pub kinds: Option<Vec<String>>,
}

impl ResolvedFilters {
    /// For the search of text units.
    pub fn of_units(&self) -> Filter {
        Filter {
            documents: self.documents.as_ref().map(|ids| ids.iter().cloned().collect()),
            ..Filter::default()
        }
    }

    /// For the search of entities.
    pub fn of_entities(&self) -> Filter {
        Filter { kinds: self.kinds.clone(), ..Filter::default() }
    }

    /// Whether a document may be shown.
    pub fn allows_document(&self, id: &Id) -> bool {
        self.documents.as_ref().is_none_or(|ids| ids.contains(id))
    }

    /// Whether an entity of this type may be shown.
    pub fn allows_kind(&self, kind: &str) -> bool {
        self.kinds.as_ref().is_none_or(|kinds| kinds.iter().any(|known| known == kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Ids;
    use std::collections::BTreeMap;

    #[test]
    fn documents_are_told_by_path_and_metadata() {
        let document = Document {
            id: Ids::new("w").document("docs/carol.txt"),
            key: "docs/carol.txt".to_owned(),
            title: "A Christmas Carol".to_owned(),
            content_hash: String::new(),
            character_count: 1,
            text_unit_count: 1,
            metadata: BTreeMap::from([
                ("Date".to_owned(), "1843-12-19".to_owned()),
                ("author".to_owned(), "Charles Dickens".to_owned()),
            ]),
        };
        let check = |filters: &[&str], expected: bool| {
            let texts: Vec<String> = filters.iter().map(|text| (*text).to_owned()).collect();
            assert_eq!(Filters::parse(&texts).unwrap().allows(&document), expected, "{filters:?}");
        };
        check(&["path=docs/*.txt"], true);
        check(&["path=*.md"], false);
        check(&["path=*.md", "path=docs/*"], true);
        check(&["document=docs/carol.txt"], true);
        check(&["author=charles*"], true);
        check(&["author=Luo*"], false);
        check(&["date>=1843", "date<=1843"], true);
        check(&["date>=1850-01-01"], false);
        check(&["colour=red"], false);
        check(&["type=Person"], true);
        for bad in ["path", "=x", "path=", "path=[", "date>="] {
            assert!(Filters::parse(&[bad.to_owned()]).is_err(), "{bad}");
        }
    }
}
