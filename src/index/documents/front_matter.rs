//! The `---` block at the start of a Markdown file.

use std::collections::BTreeMap;

/// Lines of the longest block.
const LONGEST: usize = 200;

/// Simple `key: value` lines of a front matter, and the byte where the text begins (0 without one). Lists are joined
/// by `, `; deeper values are left out.
pub(super) fn read(text: &str) -> (BTreeMap<String, String>, usize) {
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| line.trim_end() == "---") else {
        return (BTreeMap::new(), 0);
    };
    let mut values: BTreeMap<String, String> = BTreeMap::new();
    let mut key = String::new();
    let mut at = first.len();
    for line in lines.take(LONGEST) {
        at += line.len();
        let line = line.trim_end();
        if line == "---" || line == "..." {
            values.retain(|_, value| !value.is_empty());
            return (values, at);
        }
        if let Some(item) = line.trim_start().strip_prefix("- ") {
            let value = values.entry(key.clone()).or_default();
            if !value.is_empty() {
                value.push_str(", ");
            }
            value.push_str(plain(item));
        } else if let Some((name, value)) = line.split_once(':').filter(|(name, _)| is_key(name)) {
            name.clone_into(&mut key);
            values.insert(key.clone(), list_items(value));
        }
    }
    (BTreeMap::new(), 0)
}

fn is_key(name: &str) -> bool {
    !name.is_empty()
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' '))
        && !name.starts_with(' ')
}

fn list_items(value: &str) -> String {
    let value = value.trim();
    match value.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')) {
        Some(inner) => inner.split(',').map(plain).collect::<Vec<_>>().join(", "),
        None => plain(value).to_owned(),
    }
}

/// A value without the quotes around it.
fn plain(value: &str) -> &str {
    let value = value.trim();
    ['"', '\''].iter().find_map(|&quote| value.strip_prefix(quote)?.strip_suffix(quote)).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, &str)], body: &str) {
        let (values, at) = read(text);
        let found: Vec<(&str, &str)> = values.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        assert_eq!((found.as_slice(), &text[at..]), (expected, body));
    }

    #[test]
    fn simple_pairs_and_lists_are_read() {
        check(
            "---\ntitle: \"A: b\"\r\ntags: [x, 'y']\nauthors:\n  - Ann\n  - Bob\nnone:\n---\n# Hi\n",
            &[("authors", "Ann, Bob"), ("tags", "x, y"), ("title", "A: b")],
            "# Hi\n",
        );
    }

    #[test]
    fn a_rule_or_an_open_block_is_no_front_matter() {
        check("---\ntext: only\n", &[], "---\ntext: only\n");
        check("# Hi\n---\n", &[], "# Hi\n---\n");
    }
}
