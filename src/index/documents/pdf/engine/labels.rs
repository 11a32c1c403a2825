//! What a file calls its pages, read once: its tree of labels may lead back to itself, or say a label in a thousand pages.

use pdfrum::{Diagnostics, Document, Limits};
use pdfrum_object::{Array, Dict, Name, NoResolve, ObjRef, Object, Resolve};
use std::collections::{BTreeMap, BTreeSet};

/// Parts of the tree that may lie in one another.
const DEEPEST: usize = 32;
/// Rules that are read.
const MOST_RULES: usize = 100_000;
/// Characters of a label.
const LONGEST: usize = 64;

/// The rule of each stretch of pages, by its first page from 0 (ISO 32000-1, 12.4.2).
#[derive(Debug, Default)]
pub(super) struct PageLabels {
    rules: BTreeMap<i64, Dict>,
    seen: BTreeSet<ObjRef>,
}

impl PageLabels {
    /// Those of a file; none where it has none or they cannot be read.
    pub(super) fn of(document: &Document) -> Self {
        let mut labels = Self::default();
        let store = document.parser();
        let catalog = store.catalog().unwrap_or_default();
        if let Some(root) = catalog.dict(&"PageLabels".into(), store) {
            labels.seen.extend(catalog.reference(&"PageLabels".into()));
            labels.read(&root, store, 0);
        }
        labels
    }

    /// Takes in a part of the tree, each that is named once.
    fn read(&mut self, part: &Dict, store: &impl Resolve, depth: usize) {
        if let Some(entries) = part.array(&"Nums".into(), store) {
            for entry in 0..(entries.len() / 2).min(MOST_RULES.saturating_sub(self.rules.len())) {
                let rule = entries.dict_at(entry * 2 + 1, store).map(|rule| plain(&rule, store));
                let first = entries.int_at(entry * 2).unwrap_or(0);
                self.rules.entry(first).or_insert(rule.unwrap_or_default());
            }
            return;
        }
        let Some(kids) = part.array(&"Kids".into(), store).filter(|_| depth < DEEPEST) else { return };
        for kid in 0..kids.len() {
            let is_new = kids.reference_at(kid).is_none_or(|reference| self.seen.insert(reference));
            if let Some(kid) = kids.dict_at(kid, store).filter(|_| is_new) {
                self.read(&kid, store, depth + 1);
            }
        }
    }

    /// The label of a page, by its place from 0; of pages before the first rule there is none.
    pub(super) fn of_page(&self, index: u32) -> Option<String> {
        let (first, rule) = self.rules.range(..=i64::from(index)).next_back()?;
        let entry = Array::of([Object::Int(*first), Object::Dict(rule.clone())]);
        let tree = Dict::from_pairs([(Name::from("Nums"), Object::Array(entry))]);
        let catalog = Dict::from_pairs([(Name::from("PageLabels"), Object::Dict(tree))]);
        let (limits, mut diagnostics) = (Limits::default(), Diagnostics::default());
        let label = pdfrum_doc::page_label(&catalog, index, u32::MAX, &NoResolve, &limits, &mut diagnostics)?;
        Some(label.chars().take(LONGEST).collect())
    }
}

/// What a rule says, without what it refers to and no longer than a label.
fn plain(rule: &Dict, store: &impl Resolve) -> Dict {
    let mut plain = Dict::new();
    for key in ["S", "P", "St"].map(Name::from) {
        let value = rule.get(&key, store).map(|value| value.get().clone());
        let is_plain = |value: &Object| match value.as_string() {
            Some(text) => text.as_bytes().len() <= 4 * LONGEST,
            None => value.as_name().is_some() || value.as_int().is_some(),
        };
        if let Some(value) = value.filter(is_plain) {
            plain.insert(key, value);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Labels of the first four pages of a file of one page, whose catalogue says this of them.
    fn labels(tree: &str, others: &str) -> Vec<Option<String>> {
        let file = format!(
            "%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R/PageLabels {tree}>>\nendobj\n\
             2 0 obj\n<</Type/Pages/Count 1/Kids[3 0 R]>>\nendobj\n\
             3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]>>\nendobj\n{others}\
             trailer\n<</Root 1 0 R>>\n%%EOF\n"
        );
        let document = Document::from_bytes(file.into_bytes()).expect("a file");
        let labels = PageLabels::of(&document);
        (0..4).map(|page| labels.of_page(page)).collect()
    }

    #[test]
    fn each_page_has_the_label_of_the_rule_before_it() {
        let of = |texts: [&str; 4]| texts.map(|text| Some(text.to_owned())).to_vec();
        let rules = "0<</S/r>>2<</S/D/P(A-)/St 7>>";
        assert_eq!(labels(&format!("<</Nums[{rules}]>>"), ""), of(["i", "ii", "A-7", "A-8"]));
        let (tree, parts) = (
            "<</Kids[5 0 R 6 0 R]>>",
            "5 0 obj\n<</Nums[0<</S/r>>]>>\nendobj\n6 0 obj\n<</Nums[2 7 0 R]>>\nendobj\n\
             7 0 obj\n<</S/A>>\nendobj\n",
        );
        assert_eq!(labels(tree, parts), of(["i", "ii", "A", "B"]));
        assert_eq!(labels("<<>>", ""), vec![None; 4]);
        assert_eq!(labels("<</Nums[2<</S/D>>]>>", "")[..2], [None, None]);
    }

    #[test]
    fn a_tree_that_leads_back_to_itself_and_an_endless_label_end() {
        let parts =
            "5 0 obj\n<</Kids[5 0 R 5 0 R 6 0 R 6 0 R]>>\nendobj\n6 0 obj\n<</Nums[0<</S/r>>]>>\nendobj\n";
        assert_eq!(labels("5 0 R", parts)[3].as_deref(), Some("iv"));
        // parts that lie in one another
        let deep = (0..20).fold("<</Nums[1<</S/D>>]>>".to_owned(), |part, _| format!("<</Kids[{part}]>>"));
        assert_eq!(labels(&deep, "")[1].as_deref(), Some("1"));
        let long = labels("<</Nums[0<</S/r/St 2147483647>>]>>", "")[0].clone().expect("a label");
        assert_eq!(long.chars().count(), LONGEST);
        let longer = format!("<</Nums[0<</S/D/P({})>>]>>", "x".repeat(100_000));
        assert_eq!(labels(&longer, "")[0].as_deref(), Some("1"));
    }
}
