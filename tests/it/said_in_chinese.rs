//! What the server says has a translation on a Chinese page: each sentence of its code is held against the page's list.

use regex::Regex;
use std::fs;
use std::path::{Path, PathBuf};

/// A sentence in code, between its quotation marks.
const SENTENCE: &str = r#""((?:[^"\\]|\\.)*)""#;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Files of code below a folder, sorted, each without its tests.
fn code_below(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(code_below(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") && !is_test(&path) {
            let text = fs::read_to_string(&path).expect("a file of code");
            found.push((path, text.split("#[cfg(test)]").next().unwrap_or_default().into()));
        }
    }
    found.sort();
    found
}

fn is_test(path: &Path) -> bool {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy());
    stem.is_some_and(|stem| stem.ends_with("test") || stem.ends_with("tests"))
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a pattern")
}

/// A sentence as it is said, with 7 where a value stands.
fn spoken(written: &str) -> String {
    let whole = regex(r"\\\r?\n\s*").replace_all(written, "").replace("\\\"", "\"");
    regex(r"\{[\w.:?#]*\}").replace_all(&whole, "7").into()
}

fn sentences_of_the_server() -> Vec<String> {
    let mut found = Vec::new();
    let problem = regex(&format!(
        r"(?s)Problem::(?:invalid|not_found|new)\(\s*(?:ProblemType::\w+,\s*)?(?:format!\(\s*)?{SENTENCE}"
    ));
    let serve = root().join("src/serve");
    for (path, code) in code_below(&serve) {
        // agents and clients of OpenAI's API are told in English alone
        let english = path.starts_with(serve.join("mcp"))
            || path.ends_with("mcp.rs")
            || path.ends_with("openai.rs")
            || path.ends_with("limits.rs");
        if !english {
            let words = problem.captures_iter(&code).map(|hit| spoken(&hit[1]));
            found.extend(words.filter(|words| regex("[a-z]{3}").is_match(words)));
        }
    }
    let choice = regex(r#"\(Method::(\w+), "([^"]*)"\)"#);
    let step = regex(&format!(r"(?s)\.say\((?:&format!\()?{SENTENCE}"));
    for (path, code) in code_below(&root().join("src/query")) {
        if path.ends_with("drift.rs") {
            // why a method was chosen
            let reasons = choice.captures_iter(&code);
            found.extend(reasons.map(|hit| format!("{} search: {}", hit[1].to_lowercase(), &hit[2])));
        }
        let steps = step.captures_iter(&code).filter(|hit| !hit[1].starts_with("{chosen"));
        found.extend(steps.map(|hit| spoken(&hit[1])));
    }
    // why a file cannot be read
    let reason = regex(&format!(r"(?s)Err\((?:format!\(\s*)?{SENTENCE}"));
    let wide_rows = fs::read_to_string(root().join("src/wide_rows.rs")).expect("a file of code");
    let readers = code_below(&root().join("src/index/documents")).into_iter().map(|(_, code)| code);
    for code in readers.chain([wide_rows]) {
        found.extend(reason.captures_iter(&code).map(|hit| spoken(&hit[1])));
    }
    found
}

/// What the page reads sentences by, as its `words.js` makes it.
fn patterns() -> Vec<Regex> {
    let list = fs::read_to_string(root().join("src/serve/page/assets/zh-said.js")).expect("the list");
    let pair = regex(&format!("(?m)^  \\[{SENTENCE}, "));
    let value = regex(r"\{\w+\}");
    pair.captures_iter(&list)
        .map(|hit| {
            let english = hit[1].replace("\\\"", "\"");
            let parts: Vec<String> = value.split(&english).map(regex::escape).collect();
            regex(&format!("(?s)^{}$", parts.join(".*?")))
        })
        .collect()
}

#[test]
fn each_sentence_of_the_server_has_a_translation() {
    let sentences = sentences_of_the_server();
    assert!(sentences.len() > 120, "{} sentences are found in the code", sentences.len());
    let patterns = patterns();
    assert!(patterns.len() > 150, "{} translations are found", patterns.len());
    let english: Vec<&String> = sentences
        .iter()
        .filter(|sentence| !patterns.iter().any(|pattern| pattern.is_match(sentence)))
        .collect();
    assert!(english.is_empty(), "without a translation (src/serve/page/assets/zh-said.js): {english:#?}");
}
