//! The pages that people read: README, `docs/`, `src/ARCHITECTURE.md`. `docs/reference/` is held by `src/cli/reference.rs`.

use crate::program::Place;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Pages of a folder, sorted.
fn pages_below(folder: &Path) -> Vec<PathBuf> {
    let mut pages = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            pages.extend(pages_below(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
    pages.sort();
    pages
}

fn pages() -> Vec<PathBuf> {
    let mut pages = pages_below(&root().join("docs"));
    pages.extend([root().join("README.md"), root().join("src/ARCHITECTURE.md")]);
    pages
}

fn name(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// A page without its blocks of code.
fn prose(page: &Path) -> String {
    let text = fs::read_to_string(page).expect("a page");
    let mut inside = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        } else if !inside {
            lines.push(line);
        }
    }
    lines.join("\n")
}

/// The targets of `[text](target)`; what stands in backticks is no link.
fn links(prose: &str) -> Vec<String> {
    let plain: String = prose.split('`').step_by(2).collect();
    let targets = plain.match_indices("](").filter_map(|(at, mark)| {
        let rest = plain.get(at + mark.len()..)?;
        rest.split_once(')').map(|(target, _)| target.to_owned())
    });
    targets.collect()
}

/// The anchors of a page's headings, as GitHub and `mdBook` make them.
fn anchors(page: &Path) -> BTreeSet<String> {
    let headings = prose(page);
    let headings = headings.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        })
        .collect()
}

#[test]
fn every_link_leads_to_a_page_and_a_heading() {
    let mut wrong = Vec::new();
    for page in pages() {
        for link in links(&prose(&page)) {
            if link.contains("://") {
                continue;
            }
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target =
                if path.is_empty() { page.clone() } else { page.parent().expect("a folder").join(path) };
            if !target.exists() {
                wrong.push(format!("{}: {link} is not there", name(&page)));
            } else if !anchor.is_empty() && !anchors(&target).contains(anchor) {
                wrong.push(format!("{}: {link}: no such heading", name(&page)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_summary_of_the_book_names_every_page_once() {
    let docs = root().join("docs");
    let named = links(&prose(&docs.join("SUMMARY.md")));
    let mut sorted = named.clone();
    sorted.sort();
    let summary = docs.join("SUMMARY.md");
    let pages = pages_below(&docs).into_iter().filter(|page| *page != summary);
    let mut pages: Vec<String> =
        pages.map(|page| page.strip_prefix(&docs).expect("below").display().to_string()).collect();
    pages.sort();
    assert_eq!(sorted, pages, "docs/SUMMARY.md and the pages under docs/");
}

#[test]
fn files_that_the_pages_name_are_there() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for page in pages() {
        let text = prose(&page);
        for span in text.split('`').skip(1).step_by(2) {
            let is_path = ["src/", "tests/", "scripts/", "cypher/", "prompts/", "docs/", "fuzz/"]
                .iter()
                .any(|folder| span.starts_with(folder));
            let is_plain = !span.contains(|c: char| c.is_whitespace() || matches!(c, '*' | '…' | '(' | '<'));
            if is_path && is_plain && !span.contains("NAME") {
                count += 1;
                if !root().join(span).exists() {
                    wrong.push(format!("{}: {span} is not there", name(&page)));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 30, "only {count} names of files were found");
}

#[test]
fn the_page_on_browser_lists_every_statement_with_what_it_shows() {
    let page = fs::read_to_string(root().join("docs/browser.md")).expect("a page");
    for entry in fs::read_dir(root().join("cypher/explore")).expect("a folder") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("a statement");
        let shows = text.lines().next().and_then(|line| line.strip_prefix("// ")).expect("what it shows");
        let line = format!("| `{}` | {shows} |", path.file_name().expect("a name").to_string_lossy());
        assert!(page.contains(&line), "docs/browser.md lacks: {line}");
    }
}

#[test]
fn the_readme_is_short() {
    let length = fs::metadata(root().join("README.md")).expect("README").len();
    assert!(length <= 8192, "README.md has {length} bytes; move what is long to docs/");
}

/// The excerpt of the demo's output that README shows: of each question the first line of the answer and its first
/// source; `…` stands for more lines.
fn excerpt(output: &str) -> String {
    let (questions, _) = output.split_once("\nThe index is in ").expect("what to try next");
    let mut lines = Vec::new();
    for section in questions.split("\n▶ ").skip(1) {
        let (question, rest) = section.trim_end().split_once("\n\n").expect("an answer");
        let split = |label: &'static str| {
            rest.split_once(&format!("\n\n{label}\n")).map(|(answer, sources)| (answer, sources, label))
        };
        let (answer, sources, label) = split("Sources:").or_else(|| split("来源：")).expect("sources");
        lines.push(format!("▶ {question}\n"));
        lines.extend(first_line(answer, "…"));
        lines.push(format!("\n{label}"));
        lines.extend(first_line(sources, "  …"));
        lines.push(String::new());
    }
    lines.join("\n").trim_end().to_owned()
}

fn first_line(text: &str, more: &str) -> Vec<String> {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default().to_owned();
    if lines.next().is_some() { vec![first, more.to_owned()] } else { vec![first] }
}

/// `GRAPHWRIGHT_WRITE_REFERENCE=1 cargo test --features failpoints --test it docs` rewrites the excerpt.
#[test]
fn the_readme_shows_what_the_demo_prints() {
    let run = Place::new().run(&["demo"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let wanted = excerpt(&run.stdout);
    let path = root().join("README.md");
    let readme = fs::read_to_string(&path).expect("README");
    let (before, rest) = readme.split_once("```text\n").expect("a block of output");
    let (shown, after) = rest.split_once("\n```").expect("its end");
    if std::env::var_os("GRAPHWRIGHT_WRITE_REFERENCE").is_some() {
        fs::write(&path, format!("{before}```text\n{wanted}\n```{after}")).expect("written");
        return;
    }
    assert_eq!(shown, wanted, "README.md shows another output than `graphwright demo` prints");
}

/// The source files below a folder.
fn sources_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(sources_below(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// The numbers behind "design" in a comment: "design 2, 3", "design 10 to 12".
fn cited(text: &str) -> Vec<String> {
    let mut numbers = Vec::new();
    for (at, word) in text.match_indices("(design ") {
        let rest = text.get(at + word.len()..).unwrap_or_default();
        let list = rest.split(')').next().unwrap_or_default();
        let parts = list.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
        numbers.extend(parts.map(str::to_owned));
    }
    numbers
}

#[test]
fn every_decision_that_comments_cite_is_on_the_page_of_design() {
    let headings = prose(&root().join("docs/design.md"));
    let mut count = 0;
    for file in ["src", "tests/it"].iter().flat_map(|folder| sources_below(&root().join(folder))) {
        for number in cited(&fs::read_to_string(&file).expect("a file")) {
            count += 1;
            let heading = format!("\n## {number}. ");
            assert!(headings.contains(&heading), "{} cites design {number}", name(&file));
        }
    }
    assert!(count > 40, "only {count} citations were found");
}
