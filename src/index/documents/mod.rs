//! Sources into decoded documents.

use std::collections::BTreeMap;

/// A document as read: decoded, markup stripped only for HTML.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceDocument {
    /// Path relative to the source's root, with `#row` behind it for rows of csv, json and jsonl.
    pub key: String,
    /// First heading, title field or file name.
    pub title: String,
    /// The decoded text; offsets count its Unicode scalar values.
    pub text: String,
    /// What the source says besides the text; sorted.
    pub metadata: BTreeMap<String, String>,
    /// Headings in order of their place.
    pub headings: Vec<Heading>,
}

/// A heading of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// First character, in Unicode scalar values.
    pub offset: u64,
    /// 1 is the outermost.
    pub level: u8,
    /// Its words, markup and white space around them left out.
    pub title: String,
}

// stub until the reader lands
use std::path::PathBuf;
/// d
#[derive(Clone, Debug, Default)]
pub struct DiscoverOptions {
    /// i
    pub include: Vec<String>,
    /// e
    pub exclude: Vec<String>,
    /// s
    pub sources: Vec<(String, PathBuf)>,
}
/// f
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// p
    pub path: PathBuf,
    /// k
    pub key: String,
}
/// p
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// p
    pub path: PathBuf,
    /// r
    pub reason: String,
}
impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.reason)
    }
}
/// r
#[derive(Clone, Debug, Default)]
pub struct ReadOptions;
/// r
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// d
    pub documents: Vec<SourceDocument>,
    /// p
    pub problems: Vec<Problem>,
}
/// d
#[derive(Debug, Default)]
pub struct Discovery {
    /// f
    pub files: Vec<SourceFile>,
    /// p
    pub problems: Vec<Problem>,
}
/// d
pub fn discover(arguments: &[String], options: &DiscoverOptions) -> Discovery {
    let mut d = Discovery::default();
    for a in arguments {
        for e in walkdir::WalkDir::new(a).sort_by_file_name().into_iter().flatten() {
            if e.file_type().is_file() {
                let p = e.path().to_owned();
                let key = options
                    .sources
                    .iter()
                    .find_map(|(n, r)| p.strip_prefix(r).ok().map(|k| format!("{n}/{}", k.display())))
                    .unwrap_or_else(|| p.display().to_string());
                d.files.push(SourceFile { path: p, key });
            }
        }
    }
    d
}
/// r
pub fn read(file: &SourceFile, _options: &ReadOptions) -> Reading {
    match std::fs::read_to_string(&file.path) {
        Ok(text) => Reading {
            documents: vec![SourceDocument {
                key: file.key.clone(),
                title: file.path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default(),
                text,
                ..SourceDocument::default()
            }],
            problems: vec![],
        },
        Err(e) => Reading {
            documents: vec![],
            problems: vec![Problem { path: file.path.clone(), reason: e.to_string() }],
        },
    }
}
/// h
pub fn headings_of(_key: &str, _text: &str) -> Vec<Heading> {
    Vec::new()
}
