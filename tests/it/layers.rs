//! Who may import whom (src/ARCHITECTURE.md).

use std::fs;
use std::path::{Path, PathBuf};

/// (folder or file, what it must not name)
const FORBIDDEN: [(&str, &[&str]); 11] = [
    (
        "src/domain",
        &[
            "crate::language",
            "crate::llm",
            "crate::stores",
            "crate::index",
            "crate::query",
            "crate::cli",
            "crate::services",
            "crate::config",
        ],
    ),
    (
        "src/language",
        &[
            "crate::llm",
            "crate::exchange",
            "crate::stores",
            "crate::index",
            "crate::query",
            "crate::cli",
            "crate::services",
        ],
    ),
    (
        "src/numeric",
        &[
            "crate::domain",
            "crate::language",
            "crate::config",
            "crate::llm",
            "crate::stores",
            "crate::index",
            "crate::query",
            "crate::cli",
            "crate::services",
        ],
    ),
    ("src/stores", &["crate::llm", "crate::index", "crate::query", "crate::cli", "crate::services"]),
    ("src/llm", &["crate::stores", "crate::index", "crate::query", "crate::cli", "crate::services"]),
    ("src/services.rs", &["crate::index", "crate::query", "crate::cli"]),
    ("src/index", &["crate::exchange", "crate::query", "crate::eval", "crate::cli"]),
    ("src/query", &["crate::exchange", "crate::cli", "crate::eval"]),
    ("src/exchange", &["crate::query", "crate::eval", "crate::cli"]),
    ("src/eval", &["crate::cli"]),
    ("src/map", &["crate::llm", "crate::index", "crate::query", "crate::cli"]),
];

fn rust_files(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).expect("a readable folder") {
            rust_files(&entry.expect("an entry").path(), files);
        }
    } else if path.extension().is_some_and(|e| e == "rs") {
        files.push(path.to_owned());
    }
}

#[test]
fn imports_point_downwards_only() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut wrong = Vec::new();
    for (place, forbidden) in FORBIDDEN {
        let mut files = Vec::new();
        rust_files(&root.join(place), &mut files);
        assert!(!files.is_empty(), "{place} has no file");
        for file in files {
            let text = fs::read_to_string(&file).expect("a readable file");
            for name in forbidden {
                if text.lines().any(|line| !line.trim_start().starts_with("//") && line.contains(name)) {
                    wrong
                        .push(format!("{} names {name}", file.strip_prefix(root).expect("inside").display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// More than this and nobody reads a trait any more.
const MOST_METHODS: usize = 20;

#[test]
fn a_trait_is_read_at_a_glance() {
    let mut files = Vec::new();
    rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    let mut largest = (0, String::new());
    for file in files {
        let text = fs::read_to_string(&file).expect("a readable file");
        for (name, methods) in traits(&text) {
            largest = largest.max((methods, format!("{name} in {}", file.display())));
        }
    }
    assert!(largest.0 > 0, "no trait found");
    assert!(largest.0 <= MOST_METHODS, "{} has {} methods", largest.1, largest.0);
}

/// Every trait of a file that rustfmt has laid out, with the number of its methods.
fn traits(text: &str) -> Vec<(String, usize)> {
    let mut found: Vec<(String, usize)> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("pub trait ").or_else(|| line.strip_prefix("trait ")) {
            let name = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            found.push((name.to_owned(), 0));
            inside = !line.ends_with('}');
        } else if line.starts_with('}') {
            inside = false;
        } else if inside && (line.starts_with("    fn ") || line.starts_with("    async fn ")) {
            found.last_mut().expect("inside of a trait").1 += 1;
        }
    }
    found
}
