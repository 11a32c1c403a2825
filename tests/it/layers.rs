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
