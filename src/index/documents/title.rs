//! What a document is called.

use super::Heading;
use super::headings::is_title;
use std::collections::BTreeMap;
use std::path::Path;

/// Lines at the start of a text that may name it.
const HEAD_LINES: usize = 60;

/// Fields of a book's head that are kept, as Project Gutenberg writes them.
const FIELDS: [&str; 6] = ["author", "translator", "illustrator", "editor", "language", "release date"];

/// Title and further fields that the head of a plain text gives: "Title: …", or a first line that can be nothing else.
pub(super) fn of_plain_text(text: &str, headings: &[Heading]) -> (Option<String>, BTreeMap<String, String>) {
    let head = || text.lines().take(HEAD_LINES).map(str::trim);
    let is_gutenberg = head().take(5).any(|line| line.len() < 200 && line.contains("Project Gutenberg"));
    let mut title = None;
    let mut metadata = BTreeMap::new();
    let named = head().take(if is_gutenberg { HEAD_LINES } else { 5 }).filter(|line| line.len() < 500);
    for (name, value) in named.filter_map(|line| line.split_once(": ")) {
        let (name, value) = (name.trim().to_lowercase(), value.trim());
        if name == "title" && title.is_none() && !value.is_empty() {
            title = Some(value.to_owned());
        } else if title.is_some() && FIELDS.contains(&name.as_str()) {
            metadata.entry(name.replace(' ', "_")).or_insert_with(|| value.to_owned());
        }
    }
    let title = title.or_else(|| first_line_title(text, headings).map(str::to_owned));
    (title, metadata)
}

/// A first line that stands alone, is short and written as a title.
fn first_line_title<'a>(text: &'a str, headings: &[Heading]) -> Option<&'a str> {
    let mut lines = text.lines().map(str::trim).skip_while(|line| line.is_empty());
    let line = lines.next()?;
    if line.len() > 240 || !lines.next()?.is_empty() || !lines.any(|line| !line.is_empty()) {
        return None;
    }
    let characters = line.chars().count();
    let is_chapter = headings.first().is_some_and(|heading| heading.title == line && heading.level < 3);
    let ends_open = !line.ends_with(['.', '!', '?', ',', ';', ':', '。', '！', '？', '，', '；', '：']);
    let is_path = line.contains('/') || line.contains('\\') || line.contains(".txt") || line.contains(": ");
    let has_han = line.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    let looks_so =
        if has_han { characters <= 30 } else { line.starts_with(char::is_uppercase) && is_title(line) };
    ((2..=80).contains(&characters) && !is_chapter && ends_open && !is_path && looks_so).then_some(line)
}

/// Characters of the longest title: it stands beside every text unit of its document.
const LONGEST: usize = 500;

/// Cuts a title that is longer than one is.
pub(super) fn shorten(title: &mut String) {
    if let Some((end, _)) = title.char_indices().nth(LONGEST) {
        title.truncate(end);
        title.push('…');
        title.shrink_to_fit();
    }
}

/// A readable title from a file name: `a-christmas-carol.txt` becomes "A Christmas Carol". Letters keep their case
/// where the name has capitals; a language at the end (`.zh`) is dropped.
pub(super) fn of_file(path: &Path) -> String {
    let name = path.to_string_lossy();
    // what lies in another file is called as it is there
    let mut path = path;
    let mut rest: &str = &name;
    while let Some((_, member)) = super::member_of(rest) {
        (rest, path) = (member, Path::new(member));
    }
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = match stem.rsplit_once('.') {
        Some((name, tag)) if tag.len() == 2 && tag.bytes().all(|b| b.is_ascii_lowercase()) => name.to_owned(),
        _ => stem,
    };
    let characters: Vec<char> = stem.chars().collect();
    let is_digit = |at: Option<usize>| at.and_then(|at| characters.get(at)).is_some_and(char::is_ascii_digit);
    let spaced: String = characters
        .iter()
        .enumerate()
        .map(|(at, &c)| match c {
            '-' if is_digit(at.checked_sub(1)) && is_digit(Some(at + 1)) => '-',
            '-' | '_' => ' ',
            other => other,
        })
        .collect();
    let keeps_case = spaced.chars().any(char::is_uppercase);
    let words: Vec<String> = spaced
        .split_whitespace()
        .enumerate()
        .map(
            |(at, word)| {
                if keeps_case || at > 0 && SMALL.contains(&word) { word.to_owned() } else { capital(word) }
            },
        )
        .collect();
    if words.is_empty() { stem } else { words.join(" ") }
}

/// Words that stay small inside an English title.
const SMALL: [&str; 14] =
    ["a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to"];

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_file(name: &str, expected: &str) {
        assert_eq!(of_file(Path::new(name)), expected);
    }

    fn check_text(text: &str, expected: Option<&str>) {
        let headings = super::super::headings::of_plain_text(text);
        assert_eq!(of_plain_text(text, &headings).0.as_deref(), expected, "{text}");
    }

    #[test]
    fn file_names_become_readable() {
        check_file("x/a-christmas-carol.txt", "A Christmas Carol");
        check_file("three-kingdoms-ch1-20.zh.txt", "Three Kingdoms Ch1-20");
        check_file("the_return_of_the_king.txt", "The Return of the King");
        check_file("Ep-44_Behind_the_Tech-part6.txt", "Ep 44 Behind the Tech part6");
        check_file("三国演义.txt", "三国演义");
        check_file("---.txt", "---");
    }

    #[test]
    fn the_head_of_a_text_may_name_it() {
        check_text(
            "The Project Gutenberg eBook of X\n\nTitle: A Christmas Carol\n\nAuthor: D\n",
            Some("A Christmas Carol"),
        );
        check_text(
            "A Scandal in Bohemia\n\nTo Sherlock Holmes she is always the woman.",
            Some("A Scandal in Bohemia"),
        );
        check_text("三国演义\n\n话说天下大势，分久必合。", Some("三国演义"));
        check_text("第一回 宴桃园\n\n话说天下大势，分久必合。", None);
        check_text("CHAPTER I\n\nIt was night, and nobody slept.", None);
        check_text("It was night and nobody slept\n\nThen it was day.", None);
        check_text("One line only", None);
    }

    #[test]
    fn a_gutenberg_head_gives_fields() {
        let text =
            "The Project Gutenberg eBook\n\nTitle: X\n\nAuthor: Charles Dickens\n\nRelease date: 2007\n";
        let (_, metadata) = of_plain_text(text, &[]);
        assert_eq!(metadata.get("author").map(String::as_str), Some("Charles Dickens"));
        assert_eq!(metadata.get("release_date").map(String::as_str), Some("2007"));
    }
}
