//! Title, author and dates of an office document.

use super::super::archive::{Archive, UnpackBudget};
use super::super::xml::{Markup, XmlReader};
use std::collections::BTreeMap;

/// Elements of `docProps/core.xml` and of an `OpenDocument`'s `meta.xml`, and what they are called in metadata.
const NAMES: [(&str, &str); 12] = [
    ("title", "title"),
    ("creator", "author"),
    ("initial-creator", "author"),
    ("subject", "subject"),
    ("description", "description"),
    ("keywords", "keywords"),
    ("keyword", "keywords"),
    ("created", "created"),
    ("creation-date", "created"),
    ("modified", "modified"),
    ("date", "modified"),
    ("language", "language"),
];

/// Most characters of a value.
const LONGEST: usize = 1000;

/// What a part of properties says; nothing where it is absent or damaged: the text is what counts.
pub(super) fn read(archive: &mut Archive<'_>, part: &str, budget: &UnpackBudget) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let Ok(Some(text)) = archive.xml(part, budget) else { return found };
    let mut xml = XmlReader::new(&text);
    while let Ok(Some(markup)) = xml.next() {
        let Markup::Open(tag) = markup else { continue };
        let Some((_, name)) = NAMES.iter().find(|(element, _)| *element == tag.name) else { continue };
        let Ok(value) = xml.text() else { break };
        let value: String = value.trim().chars().take(LONGEST).collect();
        if value.is_empty() {
            continue;
        }
        if tag.name == "initial-creator" {
            found.insert((*name).to_owned(), value);
        } else {
            found.entry((*name).to_owned()).or_insert(value);
        }
    }
    found
}

/// A title that somebody chose: programs write their own names and those of files there.
pub(in crate::index::documents) fn chosen_title(title: Option<String>) -> Option<String> {
    let title = title?;
    let lower = title.trim().to_lowercase();
    let made = [
        "microsoft word",
        "powerpoint presentation",
        "untitled",
        "presentation",
        "document",
        "slide 1",
        "powerpoint-präsentation",
        "(anonymous)",
        "anonymous",
        "(unspecified)",
        "unspecified",
    ];
    let is_file = [
        ".doc", ".docx", ".ppt", ".pptx", ".odt", ".rtf", ".pdf", ".indd", ".qxd", ".tex", ".dvi", ".xls",
        ".xlsx", ".html", ".htm", ".txt", ".md", ".typ", ".ps",
    ]
    .iter()
    .any(|ending| lower.ends_with(ending));
    let is_made = lower.chars().count() < 2
        || is_file
        || made.iter().any(|made| lower == *made || lower.starts_with("microsoft word -"))
        || lower.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end() == "document";
    (!is_made).then(|| title.trim().to_owned())
}
