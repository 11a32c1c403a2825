//! The pages under `docs/reference/`, made from the code. A test fails where one is stale;
//! `GRAPHWRIGHT_WRITE_REFERENCE=1 cargo test --features failpoints --lib reference` rewrites them.

mod commands;
mod schema;
mod configuration;
mod json;

use std::path::Path;

/// [`check_file`] of a page under `docs/reference/`.
fn check_page(name: &str, text: &str) {
    check_file(&format!("docs/reference/{name}"), text);
}

/// Fails where a file does not hold the text; writes the text where the environment asks for it.
fn check_file(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    if std::env::var_os("GRAPHWRIGHT_WRITE_REFERENCE").is_some() {
        std::fs::write(&path, text).expect("the page can be written");
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        stored == text,
        "{name} is stale; rewrite it: \
         GRAPHWRIGHT_WRITE_REFERENCE=1 cargo test --features failpoints --lib reference"
    );
}

/// A text in one cell of a table; addresses lose the brackets that rustdoc wants around them.
fn cell(text: &str) -> String {
    let words = text.split_whitespace().map(|word| {
        if word.contains("://") { word.replace(['<', '>'], "") } else { word.replace('<', "&lt;") }
    });
    words.collect::<Vec<_>>().join(" ").replace('|', "\\|")
}
