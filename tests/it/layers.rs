//! Who may import whom (src/ARCHITECTURE.md).

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// (folder or file, what it must not name)
const FORBIDDEN: [(&str, &[&str]); 18] = [
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
    ("src/language/vocabulary", &["crate::", "super::super"]),
    (
        "src/config",
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
        "src/stores",
        &[
            "crate::serve",
            "crate::llm",
            "crate::library",
            "crate::index",
            "crate::query",
            "crate::cli",
            "crate::services",
        ],
    ),
    (
        "src/llm",
        &[
            "crate::serve",
            "crate::stores",
            "crate::library",
            "crate::index",
            "crate::query",
            "crate::cli",
            "crate::services",
        ],
    ),
    ("src/services.rs", &["crate::serve", "crate::library", "crate::index", "crate::query", "crate::cli"]),
    (
        "src/library",
        &[
            "crate::serve",
            "crate::index",
            "crate::exchange",
            "crate::query",
            "crate::eval",
            "crate::map",
            "crate::cli",
        ],
    ),
    (
        "src/library/matching",
        &["crate::stores", "crate::llm", "crate::services", "crate::config", "crate::library"],
    ),
    (
        "src/index",
        &["crate::serve", "crate::exchange", "crate::query", "crate::eval", "crate::tuning", "crate::cli"],
    ),
    ("src/query", &["crate::serve", "crate::index", "crate::exchange", "crate::cli", "crate::eval"]),
    ("src/exchange", &["crate::serve", "crate::query", "crate::eval", "crate::cli"]),
    ("src/eval", &["crate::serve", "crate::tuning", "crate::cli"]),
    ("src/tuning", &["crate::serve", "crate::map", "crate::trends", "crate::cli"]),
    (
        "src/trends",
        &[
            "crate::llm",
            "crate::index",
            "crate::query",
            "crate::exchange",
            "crate::eval",
            "crate::serve",
            "crate::cli",
        ],
    ),
    ("src/serve", &["crate::cli", "crate::eval", "crate::tuning"]),
    ("src/map", &["crate::serve", "crate::llm", "crate::index", "crate::query", "crate::cli"]),
];

/// Rooms whose modules stand in an order: each may name those before it, and none behind it.
const ORDER: [(&str, &[&str]); 8] = [
    (
        "src/index",
        &[
            "settings",
            "documents",
            "text_units",
            "adoption",
            "pages",
            "sketch",
            "vectors",
            "graph",
            "extraction",
            "names",
            "editing",
            "reports",
            "communities",
            "trees",
            "facts",
            "run",
            "estimate",
            "passages",
            "doctor",
        ],
    ),
    (
        "src/index/run",
        &[
            "report",
            "staleness",
            "cutting",
            "settings",
            "plan",
            "resemblance",
            "graph_tables",
            "ingestion",
            "adoption",
            "manual_edits",
            "rest",
            "imported_texts",
            "stages",
            "conclusion",
            "adopting",
            "sync",
            "workers",
        ],
    ),
    (
        "src/query",
        &[
            "question",
            "request",
            "counting",
            "clock",
            "search",
            "plans",
            "retrieval",
            "languages",
            "answer",
            "cypher",
            "evidence",
            "rewriting",
            "standard",
            "scope",
            "searches",
            "thorough",
            "suggestions",
            "forecast",
        ],
    ),
    (
        "src/query/answer",
        &[
            "trace",
            "standard",
            "quotes",
            "runs",
            "concepts",
            "prepared",
            "headings",
            "dated",
            "candidates",
            "faq",
            "circumstances",
            "clauses",
            "cells",
            "extremes",
            "choices",
            "records",
            "doers",
            "subjects",
            "present",
            "forms",
            "times",
            "slots",
            "features",
            "confidence",
            "untold",
            "named",
            "sentences",
            "citations",
            "statements",
            "verbatim",
            "numbers",
            "passages",
            "findings",
            "chains",
            "grounds",
            "proofs",
            "restated",
            "provenance",
            "extractive",
            "overview",
            "numbering",
            "generation",
            "map_reduce",
            "synthesis",
            "table",
            "printed",
        ],
    ),
    (
        "src/query/retrieval",
        &[
            "context",
            "fit",
            "sources",
            "fusion",
            "hybrid",
            "structure",
            "reranking",
            "walk",
            "ranking",
            "local",
            "said_by_units",
            "local_context",
            "leading",
            "answers",
        ],
    ),
    (
        "src/query/plans",
        &[
            "time",
            "algebra",
            "budget",
            "nearness",
            "wording",
            "amounts",
            "rows",
            "states",
            "reading",
            "operators",
            "ranking",
            "execution",
            "form",
            "nouns",
            "meaning",
            "patterns",
            "questions",
            "signs",
            "compilation",
            "asking",
        ],
    ),
    // no search rests on another
    ("src/query/searches", &[]),
    (
        "src/serve",
        &[
            "problem",
            "metrics",
            "tokens",
            "shapes",
            "limits",
            "held",
            "ordering",
            "workspaces",
            "kept",
            "queue",
            "drawings",
            "app",
            "tables",
            "asking",
            "summaries",
            "reading",
            "listing",
            "exploring",
            "background",
            "resumed",
            "jobs",
            "paper",
            "input",
            "routes",
            "api",
            "markdown",
            "openai",
            "mcp",
            "compression",
            "page",
            "unread",
            "unchanged",
            "layers",
            "http",
        ],
    ),
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
        // tests use the program as a user does
        for file in files.into_iter().filter(|file| !file.ends_with("tests.rs")) {
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

/// The first names of the paths that begin with `prefix` in a source text: `a` and `b` of `prefix::{a::X, b}`.
fn names_behind(text: &str, prefix: &str) -> Vec<String> {
    let word = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let mut names = Vec::new();
    for (at, found) in text.match_indices(prefix) {
        let rest = &text[at + found.len()..];
        let Some(list) = rest.strip_prefix('{') else {
            names.push(word(rest));
            continue;
        };
        let (mut depth, mut begins) = (0, true);
        for (at, c) in list.char_indices() {
            match c {
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                '{' => depth += 1,
                ',' if depth == 0 => begins = true,
                c if begins && !c.is_whitespace() => {
                    names.push(word(&list[at..]));
                    begins = false;
                }
                _ => {}
            }
        }
    }
    names
}

/// The modules of a room that one of its files names, tests left out.
fn siblings_named_by(file: &Path, room: &Path) -> Vec<String> {
    let inside: Vec<String> = file
        .strip_prefix(room)
        .expect("inside")
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    let text = fs::read_to_string(file).expect("a readable file");
    let code: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| [line, "\n"])
        .collect();
    let path: Vec<String> = room.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let from = path.iter().rposition(|part| part == "src").expect("under src") + 1;
    let mut names = names_behind(&code, &format!("crate::{}::", path[from..].join("::")));
    // a file's own folder is that of its module, unless it is mod.rs
    let ups = inside.len() - usize::from(inside.last().is_some_and(|name| name == "mod.rs"));
    let up = "super::".repeat(ups);
    for found in names_behind(&code.replace(&format!("super::{up}"), ""), &up) {
        names.push(found);
    }
    names
}

#[test]
fn modules_of_a_room_name_those_before_them_only() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut wrong = Vec::new();
    for (place, order) in ORDER {
        let folder = root.join(place);
        let mut files = Vec::new();
        rust_files(&folder, &mut files);
        let module_of = |file: &Path| -> String {
            let first = file.strip_prefix(&folder).expect("inside").iter().next().expect("a part");
            first.to_string_lossy().trim_end_matches(".rs").to_owned()
        };
        let modules: BTreeSet<String> = files
            .iter()
            .map(|file| module_of(file))
            .filter(|name| name != "mod" && name != "tests")
            .collect();
        for module in &modules {
            assert!(
                order.is_empty() || order.contains(&module.as_str()),
                "{place}/{module} has no place in the order"
            );
        }
        for file in files.iter().filter(|file| !file.ends_with("tests.rs")) {
            let module = module_of(file);
            if !modules.contains(&module) {
                continue;
            }
            let rank = |name: &str| order.iter().position(|known| *known == name);
            for named in siblings_named_by(file, &folder) {
                if modules.contains(&named) && named != module && rank(&named) >= rank(&module) {
                    wrong.push(format!(
                        "{} names {named}",
                        file.strip_prefix(root).expect("inside").display()
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_names_behind_a_path_are_found_in_lists_too() {
    let text = "use crate::index::{graph::{self, Naming}, names};\nuse crate::index::run::X;";
    assert_eq!(names_behind(text, "crate::index::"), ["graph", "names", "run"]);
}
