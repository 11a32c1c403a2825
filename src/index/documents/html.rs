//! Web pages: their visible text.

use super::writer::markdown_row;
use super::{Heading, main_content, raised};
use crate::config::LimitsConfig;
use ego_tree::NodeId;
use html5ever::tendril::TendrilSink;
use html5ever::{ParseOpts, parse_document};
use rustc_hash::{FxHashMap, FxHashSet};
use scraper::node::Element;
use scraper::{ElementRef, Html, HtmlTreeSink, Node};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::{Duration, Instant};

/// What a page shows.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct HtmlPage {
    /// `<title>`, else the first `<h1>`.
    pub title: Option<String>,
    /// Visible text; block elements stand on lines of their own, paragraphs apart by a blank line.
    pub text: String,
    /// `<meta>` author, date, description and keywords, and the page's language.
    pub metadata: BTreeMap<String, String>,
    /// `<h1>` to `<h6>`.
    pub headings: Vec<Heading>,
}

/// Elements that stand on lines of their own with a blank line around.
const PARAGRAPHS: [&str; 20] = [
    "p",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "blockquote",
    "pre",
    "ul",
    "ol",
    "dl",
    "table",
    "section",
    "article",
    "header",
    "footer",
    "main",
    "figure",
    "hr",
];

/// Elements that stand on lines of their own.
const LINES: [&str; 13] = [
    "div",
    "li",
    "dt",
    "dd",
    "tr",
    "caption",
    "figcaption",
    "address",
    "aside",
    "form",
    "fieldset",
    "details",
    "summary",
];

/// Bytes of markup that are parsed between two looks at what came of them. The fewer, the less can grow unseen: every tag
/// may have as many elements made again as are open.
const PIECE_BYTES: usize = 256;

/// Attributes of a tag beyond which they are blanks: the parser compares each with all before it.
const MOST_ATTRIBUTES: usize = 256;

/// Characters before raised text by which it is told what that is.
const SEEN_BEFORE: usize = 8;

/// Elements that hold text alone: no tag in them but their own end is one.
const RAW_TEXT: [&str; 8] = ["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"];

/// Elements in which those hold tags like any other.
const FOREIGN: [&str; 2] = ["svg", "math"];

/// Reads a page. Markup of any kind gives some page: errors are mended as browsers do.
///
/// # Errors
/// A page that is beyond a limit, saying which.
pub(super) fn read(markup: &str, limits: &LimitsConfig) -> Result<HtmlPage, String> {
    Ok(read_but(&parse(markup, limits)?, &FxHashSet::default(), false))
}

/// As [`read`], quotations marked as in mails of plain text: `> `.
///
/// # Errors
/// As [`read`].
pub(super) fn read_mail(markup: &str, limits: &LimitsConfig) -> Result<HtmlPage, String> {
    Ok(read_but(&parse(markup, limits)?, &FxHashSet::default(), true))
}

/// As [`read`], without what stands around a page's own text: [`main_content`].
///
/// # Errors
/// As [`read`].
pub(super) fn read_page(markup: &str, limits: &LimitsConfig) -> Result<HtmlPage, String> {
    let html = parse(markup, limits)?;
    Ok(read_but(&html, &main_content::left_out(&html), false))
}

/// As [`read_page`], with the lines of the markup, from 1, that words begin in: each with the first character of the text
/// that stands there, in order.
///
/// # Errors
/// As [`read`].
pub(super) fn read_lines(
    markup: &str,
    limits: &LimitsConfig,
) -> Result<(HtmlPage, Vec<(u64, usize)>), String> {
    let mut lines = Vec::new();
    let html = parse_pieces(markup, limits, Some(|html: &Html| lines.push(html.tree.nodes().len())))?;
    let nodes = html.tree.nodes().enumerate();
    let texts = nodes.filter(|(_, node)| node.value().is_text());
    // nodes are counted as they are made, so those of a line stand behind those of the line before
    let made = texts.map(|(place, node)| (node.id(), lines.partition_point(|made| *made <= place) + 1));
    let reader = Reader {
        lines: Some(LineMarks { made: made.collect(), ..LineMarks::default() }),
        ..Reader::default()
    };
    Ok(reader.read(&html, &main_content::left_out(&html)))
}

/// The text of all nodes but those that are left out.
fn read_but(html: &Html, left_out: &FxHashSet<NodeId>, marks_quotes: bool) -> HtmlPage {
    Reader { marks_quotes, ..Reader::default() }.read(html, left_out).0
}

/// What a run is called that is the mark of a note.
const NOTE: &str = "note";

/// Whether an element is a link to a note, as books and papers have them.
fn is_note_mark(element: &Element) -> bool {
    let is = |name: &str, wanted: &str| {
        element.attr(name).is_some_and(|value| value.split(' ').any(|part| part == wanted))
    };
    element.name() == "a"
        && (is("epub:type", "noteref") || is("role", "doc-noteref") || is("class", "footnote-ref"))
}

/// Whether an element is a sign of the site beside a heading: a link to the heading itself, or one to edit it.
fn is_of_the_site(element: &ElementRef<'_>) -> bool {
    let has_class = |name: &str| element.value().classes().any(|class| class == name);
    if element.value().name() != "a" {
        return has_class("mw-editsection");
    }
    let is_of_heading = has_class("headerlink") || has_class("anchor") || has_class("permalink");
    (is_of_heading || element.attr("href").is_some_and(|link| link.starts_with('#')))
        && ["¶", "#", "§", "🔗"].contains(&element.text().collect::<String>().trim())
}

/// Parses markup, for as long as what comes of it stays within the limits.
fn parse(markup: &str, limits: &LimitsConfig) -> Result<Html, String> {
    parse_pieces(markup, limits, None::<fn(&Html)>)
}

/// Parses markup a piece after the other: a few bytes can ask for any number of elements, and every one that is open
/// costs time at every tag. What came of each line is shown, where that is wanted.
fn parse_pieces(
    markup: &str,
    limits: &LimitsConfig,
    mut line_ends: Option<impl FnMut(&Html)>,
) -> Result<Html, String> {
    let mut parser = parse_document(HtmlTreeSink::new(Html::new_document()), ParseOpts::default());
    let end = Instant::now() + Duration::from_secs(limits.file_s);
    let markup = with_few_attributes(markup);
    let mut rest = markup.as_ref();
    while !rest.is_empty() {
        let border = (PIECE_BYTES..rest.len()).find(|place| rest.is_char_boundary(*place));
        let border = border.unwrap_or(rest.len());
        let line = line_ends.as_ref().and_then(|_| rest.get(..border)?.find('\n'));
        let (piece, behind) = rest.split_at(line.map_or(border, |end| end + 1));
        rest = behind;
        parser.process(piece.into());
        let html = parser.tokenizer.sink.sink.0.borrow();
        check(&html, limits)?;
        if let Some(ended) = line_ends.as_mut().filter(|_| line.is_some()) {
            ended(&html);
        }
        drop(html);
        if Instant::now() >= end {
            return Err(format!(
                "takes longer than {} s to read; split it or raise [limits] file_s",
                limits.file_s
            ));
        }
    }
    Ok(parser.finish())
}

/// Markup whose tags have no more attributes than [`MOST_ATTRIBUTES`]; what is beyond is blank, so that all else stays
/// where it stands.
fn with_few_attributes(markup: &str) -> Cow<'_, str> {
    let bytes = markup.as_bytes();
    let mut surplus: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    // in SVG and MathML a title or a style holds tags as any other element does
    let mut foreign = 0_usize;
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == b'<')) {
        let name = at + found + 1;
        let rest = bytes.get(name..).unwrap_or_default();
        at = if rest.starts_with(b"!--") {
            name + end_of_comment(rest)
        } else if rest.first().is_some_and(u8::is_ascii_alphabetic) {
            let end = end_of_tag(bytes, name, &mut surplus);
            foreign += usize::from(is_named(rest, &FOREIGN));
            let behind = bytes.get(end..).unwrap_or_default();
            end + if foreign == 0 { raw_text(rest, behind) } else { 0 }
        } else {
            let closes = rest.strip_prefix(b"/").is_some_and(|tag| is_named(tag, &FOREIGN));
            foreign = foreign.saturating_sub(usize::from(closes));
            name
        };
    }
    if surplus.is_empty() {
        return Cow::Borrowed(markup);
    }
    let (mut kept, mut from) = (String::with_capacity(markup.len()), 0);
    for range in surplus {
        kept.push_str(markup.get(from..range.start).unwrap_or_default());
        let blanked = markup.get(range.clone()).unwrap_or_default();
        kept.extend(blanked.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        from = range.end;
    }
    kept.push_str(markup.get(from..).unwrap_or_default());
    Cow::Owned(kept)
}

/// Bytes of a comment that begins with `!--`: what stands in it is no markup.
fn end_of_comment(rest: &[u8]) -> usize {
    // "<!-->" and "<!--->" are whole
    if let Some(short) = ["!-->", "!--->"].iter().find(|short| rest.starts_with(short.as_bytes())) {
        return short.len();
    }
    let ends: [&[u8]; 2] = [b"-->", b"--!>"];
    let ended = |at: usize| {
        let behind = rest.get(at..).unwrap_or_default();
        ends.iter().find(|end| behind.starts_with(end)).map(|end| at + end.len())
    };
    (3..rest.len()).find_map(ended).unwrap_or(rest.len())
}

/// The name that a tag begins with, as the tokenizer of HTML cuts it.
fn tag_name(tag: &[u8]) -> &[u8] {
    let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>');
    tag.get(..tag.iter().position(ends).unwrap_or(tag.len())).unwrap_or_default()
}

fn is_named(tag: &[u8], names: &[&str]) -> bool {
    names.iter().any(|name| tag_name(tag).eq_ignore_ascii_case(name.as_bytes()))
}

/// Bytes behind an opening tag that are text whatever they look like, up to the element's own end.
fn raw_text(tag: &[u8], behind: &[u8]) -> usize {
    if !is_named(tag, &RAW_TEXT) {
        return 0;
    }
    let name = tag_name(tag);
    let closes = |window: &[u8]| {
        window.starts_with(b"</") && window.get(2..).is_some_and(|end| end.eq_ignore_ascii_case(name))
    };
    behind.windows(name.len() + 2).position(closes).unwrap_or(behind.len())
}

/// Where a tag ends whose name begins at `at`, as the tokenizer of HTML reads it; attributes beyond the most are noted.
fn end_of_tag(bytes: &[u8], at: usize, surplus: &mut Vec<Range<usize>>) -> usize {
    let byte = |at: usize| bytes.get(at).copied();
    let until = |mut at: usize, ends: fn(u8) -> bool| {
        while byte(at).is_some_and(|byte| !ends(byte)) {
            at += 1;
        }
        at
    };
    let mut at = until(at, |byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>'));
    let mut count = 0;
    loop {
        count += 1;
        at = until(at, |byte| !byte.is_ascii_whitespace() && byte != b'/');
        match byte(at) {
            None => return bytes.len(),
            Some(b'>') => return at + 1,
            Some(_) => {}
        }
        let start = at;
        // a name may begin with the mark that else ends it
        at = until(at + 1, |byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>' | b'='));
        let value = until(at, |byte| !byte.is_ascii_whitespace());
        if byte(value) == Some(b'=') {
            let first = until(value + 1, |byte| !byte.is_ascii_whitespace());
            at = match byte(first) {
                Some(b'"') => until(first + 1, |byte| byte == b'"') + 1,
                Some(b'\'') => until(first + 1, |byte| byte == b'\'') + 1,
                _ => until(first, |byte| byte.is_ascii_whitespace() || byte == b'>'),
            };
        }
        at = at.min(bytes.len());
        if count > MOST_ATTRIBUTES {
            surplus.push(start..at);
        }
    }
}

fn check(html: &Html, limits: &LimitsConfig) -> Result<(), String> {
    let mut nodes = html.tree.nodes();
    if nodes.len() > limits.html_nodes {
        return Err(format!(
            "has more than {} elements and texts; split it or raise [limits] html_nodes",
            limits.html_nodes
        ));
    }
    // the last one that was made stands where the next one will
    let depth = nodes.next_back().map_or(0, |last| last.ancestors().take(limits.html_depth + 1).count());
    if depth > limits.html_depth {
        return Err(format!(
            "has more than {} elements in one another; mend its markup or raise [limits] html_depth",
            limits.html_depth
        ));
    }
    Ok(())
}

/// Collects text as a browser would lay it out.
#[derive(Default)]
struct Reader {
    page: HtmlPage,
    characters: u64,
    /// Line breaks to write before the next word.
    breaks: usize,
    needs_space: bool,
    /// Borders of cells to write before the next word.
    cell_borders: usize,
    /// Line breaks before the next word where it is the first of its row; else none.
    row_breaks: usize,
    /// Tables open in one another.
    tables: Vec<TableCursor>,
    /// Bytes that cells which span rows or columns have added to the page.
    repeated: usize,
    /// Quotations open in one another, where they are marked.
    quotes: usize,
    marks_quotes: bool,
    preformatted: usize,
    heading: Option<Heading>,
    /// Lists open in one another: the number of the next item, where they are numbered.
    lists: Vec<Option<u64>>,
    /// Whether an item begins with the next word.
    begins_item: bool,
    /// Raised or lowered text that is open.
    run: Option<ScriptStart>,
    /// Where lines of the markup begin, where that is wanted.
    lines: Option<LineMarks>,
}

/// Where the lines of the markup begin in the text.
#[derive(Default)]
struct LineMarks {
    /// The lines in which texts begin.
    made: FxHashMap<NodeId, usize>,
    /// The line of the next word.
    line: usize,
    /// First characters of the text, each with the line that it stands in.
    begins: Vec<(u64, usize)>,
}

/// Stands between two cells of a row until the page is whole.
const CELL: char = '\u{1f}';

/// Columns and rows that a cell may span, and bytes of a cell that is repeated in each row that it spans.
const MOST_COLUMNS: usize = 64;
const MOST_SPANNED: usize = 200;
const LONGEST_SPANNED: usize = 200;
/// Cells of one table that span rows at the same time, and bytes that spanning cells add to a page: a page that is made of
/// them would be written hundreds of times over.
const MOST_SPANS: usize = 256;
const MOST_REPEATED: usize = 256 << 10;

/// Where the reader stands in a table.
#[derive(Debug, Default)]
struct TableCursor {
    column: usize,
    /// Bytes of the text before the row, and before the cell.
    row: usize,
    cell: usize,
    /// Columns and rows of the open cell.
    columns: usize,
    rows: usize,
    spans: Vec<RowSpan>,
}

/// A cell that goes on in rows below.
#[derive(Debug)]
struct RowSpan {
    column: usize,
    columns: usize,
    rows: usize,
    text: String,
}

/// Where raised or lowered text begins.
struct ScriptStart {
    name: &'static str,
    /// Bytes of the text and of the heading's title before it.
    text: usize,
    title: usize,
}

impl Reader {
    /// The text of all nodes but those that are left out, and its lines, where they are wanted.
    fn read(mut self, html: &Html, left_out: &FxHashSet<NodeId>) -> (HtmlPage, Vec<(u64, usize)>) {
        let mut node = *html.root_element();
        let root = node.id();
        self.read_head(html);
        loop {
            let is_open = match node.value() {
                Node::Element(element) => {
                    let is_hidden = main_content::is_unseen(element)
                        || left_out.contains(&node.id())
                        || ElementRef::wrap(node).is_some_and(|element| is_of_the_site(&element));
                    if !is_hidden {
                        self.open(element.name(), element.attr("start"));
                        self.open_cell(element);
                    }
                    if !is_hidden && is_note_mark(element) {
                        self.begin_run(NOTE);
                    }
                    !is_hidden
                }
                Node::Text(text) => {
                    if !left_out.contains(&node.id()) {
                        self.begin_text(node.id());
                        self.write(text);
                    }
                    false
                }
                _ => false,
            };
            if let Some(child) = node.first_child().filter(|_| is_open) {
                node = child;
                continue;
            }
            if is_open && let Node::Element(element) = node.value() {
                self.close_element(element);
            }
            loop {
                if node.id() == root {
                    return self.finish();
                }
                if let Some(next) = node.next_sibling() {
                    node = next;
                    break;
                }
                let Some(parent) = node.parent() else { return self.finish() };
                node = parent;
                if let Node::Element(element) = node.value() {
                    self.close_element(element);
                }
            }
        }
    }

    fn read_head(&mut self, html: &Html) {
        if let Some(language) = html.root_element().attr("lang").filter(|language| !language.is_empty()) {
            self.page.metadata.insert("language".into(), language.to_owned());
        }
        let Some(head) = html.root_element().child_elements().find(|child| child.value().name() == "head")
        else {
            return;
        };
        for element in head.child_elements() {
            match element.value().name() {
                "title" if self.page.title.is_none() => {
                    self.page.title = Some(one_line(&element)).filter(|title| !title.is_empty());
                }
                "meta" => self.read_meta(&element),
                _ => {}
            }
        }
    }

    fn read_meta(&mut self, element: &ElementRef<'_>) {
        let name = element.attr("name").or(element.attr("property")).or(element.attr("itemprop"));
        let name = match name.unwrap_or("").to_lowercase().as_str() {
            "article:published_time" | "datepublished" | "dc.date" | "publishdate" => "date".to_owned(),
            "article:author" => "author".to_owned(),
            name => name.to_owned(),
        };
        if let Some(content) = element.attr("content").map(str::trim)
            && ["author", "date", "description", "keywords"].contains(&name.as_str())
            && !content.is_empty()
            && !(name == "author" && content.starts_with("http"))
        {
            self.page.metadata.entry(name).or_insert_with(|| content.to_owned());
        }
    }

    fn open(&mut self, name: &str, first: Option<&str>) {
        self.break_for(name);
        match name {
            "ul" => self.lists.push(None),
            "ol" => self.lists.push(Some(first.and_then(|first| first.trim().parse().ok()).unwrap_or(1))),
            "li" => self.begins_item = !self.lists.is_empty(),
            "sup" => self.begin_run("sup"),
            "sub" => self.begin_run("sub"),
            "pre" => self.preformatted += 1,
            "blockquote" => self.quotes += usize::from(self.marks_quotes),
            "table" => self.tables.push(TableCursor::default()),
            "tr" => self.open_row(),
            "br" => self.breaks = (self.breaks + 1).min(2),
            _ => {}
        }
        if let Some(level) = heading_level(name) {
            self.heading = Some(Heading { offset: u64::MAX, level, title: String::new() });
        }
    }

    fn close_element(&mut self, element: &Element) {
        if is_note_mark(element) {
            self.end_run(NOTE);
        }
        self.close(element.name());
    }

    fn close(&mut self, name: &str) {
        if matches!(name, "ul" | "ol") {
            self.lists.pop();
        }
        self.break_for(name);
        match name {
            "li" => self.begins_item = false,
            "sup" | "sub" => self.end_run(name),
            "pre" => self.preformatted = self.preformatted.saturating_sub(1),
            "blockquote" => self.quotes = self.quotes.saturating_sub(1),
            "td" | "th" => self.close_cell(),
            "tr" => self.close_row(),
            "table" => {
                self.tables.pop();
                self.cell_borders = 0;
            }
            _ => {}
        }
        if heading_level(name).is_some()
            && let Some(heading) = self.heading.take().filter(|heading| !heading.title.trim().is_empty())
        {
            if heading.level == 1 && self.page.title.is_none() {
                self.page.title = Some(heading.title.clone());
            }
            self.page.headings.push(heading);
        }
    }

    fn open_row(&mut self) {
        (self.cell_borders, self.row_breaks) = (0, self.breaks.max(1));
        let written = self.page.text.len();
        if let Some(table) = self.tables.last_mut() {
            // a paragraph in the last cell makes no gap between rows, where the row before has several cells
            self.row_breaks = if table.column > 1 { 1 } else { self.row_breaks };
            (table.column, table.row) = (0, written);
        }
    }

    fn open_cell(&mut self, element: &Element) {
        if !matches!(element.name(), "td" | "th") {
            return;
        }
        self.write_spanned();
        let spanned = |name: &str, most: usize| {
            element.attr(name).and_then(|count| count.trim().parse().ok()).unwrap_or(1_usize).clamp(1, most)
        };
        let (columns, rows) = (spanned("colspan", MOST_COLUMNS), spanned("rowspan", MOST_SPANNED));
        let columns = if self.may_repeat(columns - 1) { columns } else { 1 };
        let written = self.page.text.len();
        if let Some(table) = self.tables.last_mut() {
            (table.columns, table.rows, table.cell) = (columns, rows, written);
        }
    }

    /// Writes the cells of rows above that go on where the reader stands.
    fn write_spanned(&mut self) {
        loop {
            let Some(table) = self.tables.last_mut() else { return };
            let column = table.column;
            let Some(span) = table.spans.iter_mut().find(|span| span.column == column && span.rows > 0)
            else {
                return;
            };
            span.rows -= 1;
            let (text, columns) = (span.text.clone(), span.columns);
            if !self.may_repeat(text.len() + columns) {
                return;
            }
            if let Some(table) = self.tables.last_mut() {
                table.column += columns;
            }
            self.push(&text);
            self.cell_borders += columns;
        }
    }

    /// Whether a spanning cell may add so many bytes more to the page.
    fn may_repeat(&mut self, bytes: usize) -> bool {
        self.repeated = self.repeated.saturating_add(bytes);
        self.repeated <= MOST_REPEATED
    }

    fn close_cell(&mut self) {
        let Some(table) = self.tables.last_mut() else {
            self.cell_borders += 1;
            return;
        };
        let text = self.page.text.get(table.cell..).unwrap_or_default();
        let text = text.trim_matches(|c: char| c.is_whitespace() || c == CELL);
        if table.rows > 1 && text.len() <= LONGEST_SPANNED && !text.contains('\n') {
            let (column, columns, rows) = (table.column, table.columns, table.rows - 1);
            let text = text.to_owned();
            table.spans.retain(|span| span.rows > 0);
            if table.spans.len() < MOST_SPANS {
                table.spans.push(RowSpan { column, columns, rows, text });
            }
        }
        table.column += table.columns;
        self.cell_borders += table.columns;
    }

    /// Each row has as many borders as any other of its table, empty cells at its end included.
    fn close_row(&mut self) {
        self.write_spanned();
        let has_text = self.tables.last().is_some_and(|table| self.page.text.len() > table.row);
        let borders = std::mem::take(&mut self.cell_borders).saturating_sub(1);
        self.row_breaks = 0;
        if has_text {
            self.push_borders(borders);
        }
    }

    fn push_borders(&mut self, count: usize) {
        self.page.text.extend(std::iter::repeat_n(CELL, count));
        self.characters += count as u64;
    }

    fn break_for(&mut self, name: &str) {
        let is_inner_list = matches!(name, "ul" | "ol") && !self.lists.is_empty();
        let is_line = LINES.contains(&name) || is_inner_list;
        let breaks = if PARAGRAPHS.contains(&name) && !is_inner_list { 2 } else { usize::from(is_line) };
        self.breaks = self.breaks.max(breaks);
    }

    fn begin_run(&mut self, name: &'static str) {
        let title = self.heading.as_ref().map_or(0, |heading| heading.title.len());
        self.run = Some(ScriptStart { name, text: self.page.text.len(), title });
    }

    /// Writes raised or lowered text so that it changes no number before it.
    fn end_run(&mut self, name: &str) {
        let Some(run) = self.run.take().filter(|run| run.name == name) else { return };
        let written = self.page.text.split_off(run.text.min(self.page.text.len()));
        if written.contains('\n') || self.page.text.is_empty() {
            self.page.text.push_str(&written);
            return;
        }
        let push = match name {
            NOTE => |text: &mut String, run: &str| text.push_str(&raised::mark(run)),
            "sup" => raised::push,
            _ => raised::push_lowered,
        };
        // what stands before is all that counts, and the text may be long
        let at = self.page.text.char_indices().rev().nth(SEEN_BEFORE).map_or(0, |(at, _)| at);
        let mut end = self.page.text.split_off(at);
        let before = end.chars().count();
        push(&mut end, &written);
        self.characters = (self.characters + end.chars().count() as u64)
            .saturating_sub((before + written.chars().count()) as u64);
        self.page.text.push_str(&end);
        if let Some(heading) = self.heading.as_mut().filter(|heading| heading.title.len() > run.title) {
            let written = heading.title.split_off(run.title);
            push(&mut heading.title, &written);
        }
    }

    /// What stands before the first word of an item.
    fn marker(&mut self) -> String {
        self.begins_item = false;
        let indent = "  ".repeat(self.lists.len().saturating_sub(1).min(8));
        match self.lists.last_mut() {
            Some(Some(number)) => {
                let marker = format!("{indent}{number}. ");
                *number = number.saturating_add(1);
                marker
            }
            _ => format!("{indent}- "),
        }
    }

    fn begin_text(&mut self, node: NodeId) {
        if let Some(lines) = self.lines.as_mut() {
            lines.line = lines.made.get(&node).copied().unwrap_or(lines.line);
        }
    }

    fn write(&mut self, text: &str) {
        if self.preformatted > 0 {
            self.push(text.trim_end_matches('\n'));
            self.mark_preformatted(text);
            let end = text.len() - text.trim_end_matches('\n').len();
            self.breaks = self.breaks.max(end.min(2));
            return;
        }
        for word in text.split_inclusive([' ', '\t', '\n', '\r', '\u{c}']) {
            let shown = word.trim_end_matches([' ', '\t', '\n', '\r', '\u{c}']);
            self.push(shown);
            self.needs_space |= shown.len() < word.len();
            if word.ends_with('\n') {
                self.next_line();
            }
        }
    }

    fn next_line(&mut self) {
        if let Some(lines) = self.lines.as_mut() {
            lines.line += 1;
        }
    }

    /// Notes that what follows stands in the line that the reader is in.
    fn mark_line(&mut self) {
        let Some(lines) = self.lines.as_mut() else { return };
        if lines.begins.last().is_none_or(|(_, line)| *line != lines.line) {
            lines.begins.push((self.characters, lines.line));
        }
    }

    /// Notes the lines of text that was written as it stands.
    fn mark_preformatted(&mut self, text: &str) {
        let Some(lines) = self.lines.as_mut() else { return };
        let written = text.trim_end_matches('\n');
        let mut at = self.characters.saturating_sub(written.chars().count() as u64);
        for line in written.split('\n') {
            lines.begins.push((at, lines.line));
            at += line.chars().count() as u64 + 1;
            lines.line += 1;
        }
    }

    fn push(&mut self, word: &str) {
        if word.is_empty() {
            return;
        }
        self.begin_word();
        self.mark_line();
        if self.begins_item {
            let marker = self.marker();
            self.characters += marker.chars().count() as u64;
            self.page.text.push_str(&marker);
        }
        if let Some(heading) = self.heading.as_mut() {
            heading.offset = heading.offset.min(self.characters);
            if !heading.title.is_empty() && (self.needs_space || self.breaks > 0) {
                heading.title.push(' ');
            }
            heading.title.push_str(word);
        }
        (self.breaks, self.needs_space) = (0, false);
        self.page.text.push_str(word);
        self.characters += word.chars().count() as u64;
    }

    /// Writes what stands between the last word and the next one.
    fn begin_word(&mut self) {
        let is_first = self.page.text.is_empty();
        let borders = std::mem::take(&mut self.cell_borders);
        let row_breaks = std::mem::take(&mut self.row_breaks);
        let breaks = match (is_first, row_breaks, borders) {
            (true, ..) => 0,
            (false, 0, 0) => self.breaks,
            // a paragraph in a cell ends no line between two cells, and makes no gap between rows
            (false, of_row, _) => of_row,
        };
        let filler = match (breaks, borders) {
            (0, 0) if self.needs_space && !is_first => " ".to_owned(),
            (breaks, _) => "\n".repeat(breaks),
        };
        self.characters += filler.len() as u64;
        self.page.text.push_str(&filler);
        self.push_borders(borders);
        if self.quotes > 0 && (breaks > 0 || is_first) {
            let marks = "> ".repeat(self.quotes.min(8));
            self.characters += marks.len() as u64;
            self.page.text.push_str(&marks);
        }
    }

    fn finish(self) -> (HtmlPage, Vec<(u64, usize)>) {
        let mut page = self.page;
        let mut lines = self.lines.map(|lines| lines.begins).unwrap_or_default();
        if page.text.contains(CELL) {
            let (text, moved) = with_tables(&page.text);
            page.text = text.replace(CELL, "\t");
            for heading in &mut page.headings {
                heading.offset = moved_to(&moved, heading.offset);
            }
            for (offset, _) in &mut lines {
                *offset = moved_to(&moved, *offset);
            }
        }
        (page, lines)
    }
}

/// The text of a page whose tables are Markdown: lines that follow each other and have as many cells; and where each line
/// began, and begins now.
fn with_tables(text: &str) -> (String, Vec<(u64, u64)>) {
    let lines: Vec<&str> = text.split('\n').collect();
    let borders = |place: usize| lines.get(place).map_or(0, |line| line.matches(CELL).count());
    let (mut written, mut characters) = (String::new(), 0_u64);
    let (mut begins, mut before) = (Vec::new(), 0_u64);
    let mut rows = 0_usize;
    for (place, line) in lines.iter().enumerate() {
        begins.push((before, characters));
        before += line.chars().count() as u64 + 1;
        let columns = borders(place);
        rows = if columns > 0 && place > 0 && borders(place - 1) == columns { rows + 1 } else { 0 };
        let is_row = columns > 0 && (rows > 0 || borders(place + 1) == columns);
        let mut shown = if is_row {
            let cells: Vec<String> = line.split(CELL).map(str::to_owned).collect();
            markdown_row(&cells, columns + 1)
        } else {
            (*line).to_owned()
        };
        if is_row && rows == 0 {
            shown.push_str("\n|");
            shown.push_str(&" --- |".repeat(columns + 1));
        }
        if place + 1 < lines.len() {
            shown.push('\n');
        }
        characters += shown.chars().count() as u64;
        written.push_str(&shown);
    }
    (written, begins)
}

/// Where a character stands after lines have moved.
fn moved_to(begins: &[(u64, u64)], offset: u64) -> u64 {
    let line = begins.partition_point(|(old, _)| *old <= offset).checked_sub(1);
    let (old, new) = line.and_then(|line| begins.get(line)).copied().unwrap_or_default();
    new + offset - old
}

fn heading_level(name: &str) -> Option<u8> {
    let level = name.strip_prefix('h')?.parse().ok()?;
    (1..=6).contains(&level).then_some(level)
}

fn one_line(element: &ElementRef<'_>) -> String {
    element.text().flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(markup: &str) -> HtmlPage {
        super::read(markup, &LimitsConfig::default()).unwrap()
    }

    fn refused(markup: &str) -> String {
        super::read(markup, &LimitsConfig::default()).unwrap_err()
    }

    #[test]
    fn a_page_that_asks_for_too_much_is_refused_while_it_is_parsed() {
        // every paragraph has all that is open made again
        let many = |count: usize, text: &dyn Fn(usize) -> String| (0..count).map(text).collect::<String>();
        let open = many(300, &|n| format!("<b id={n}>"));
        assert!(
            refused(&(format!("<p>{open}") + &"<p>x".repeat(20_000))).contains("more than 1000000 elements")
        );
        let unclosed = many(20_000, &|n| format!("<p><b id={n}>"));
        assert!(refused(&unclosed).contains("more than 512 elements in one another"));
        for tag in ["<div>", "<ul><li>", "<b>", "<table><tr><td>", "<svg>"] {
            let told = refused(&(tag.repeat(40_000) + "deep"));
            assert!(told.contains("more than 512 elements in one another; mend"), "{tag}: {told}");
        }
        let limits = LimitsConfig { file_s: 0, ..LimitsConfig::default() };
        assert!(super::read("<p>text", &limits).unwrap_err().contains("longer than 0 s"));
    }

    #[test]
    fn what_looks_like_a_tag_in_comments_and_scripts_takes_no_text_along() {
        let words: Vec<String> = (0..600).map(|number| format!("word{number}")).collect();
        let words = words.join(" ");
        for before in [
            "<!-- <a href=' -->",
            "<!--><p></p><!-- <a href=' -->",
            "<script>if (a <b) c ='x'; /* it = 'open */</script>",
            "<STYLE>a <b c='</STYLE>",
        ] {
            let page = read(&format!("{before}<p>It isn't lost: {words} end.</p>"));
            assert!(page.text.ends_with("word599 end."), "{before}: {}", page.text);
        }
    }

    #[test]
    fn nothing_that_only_looks_like_raw_text_hides_attributes_without_end() {
        let all: Vec<String> = (0..=MOST_ATTRIBUTES).map(|n| format!(" a{n}=1")).collect();
        let many = format!("<p{}>x", all.concat());
        for before in
            ["<title-bar>", "<svg><title>", "<math><style>", "<!-- a -->", "<!-- a --!>", "<title>a</title>"]
        {
            let page = format!("{before}{many}");
            let blanked = with_few_attributes(&page);
            assert!(blanked.len() == page.len() && *blanked != page, "{before}");
        }
        for before in ["<!-- a --! ", "<script>"] {
            let page = format!("{before}{many}");
            assert_eq!(with_few_attributes(&page), page, "{before}");
        }
        // an icon before a script leaves the script one
        let page = "<svg></svg><script>if (a <b) c = '</script><p>It isn't".to_owned() + &" word".repeat(600);
        assert_eq!(with_few_attributes(&page), page);
    }

    #[test]
    fn attributes_without_end_are_left_out_and_nothing_else_moves() {
        let attributes = |count: usize| {
            let all: Vec<String> = (0..count).map(|n| format!(" a{n}='>{n}'\n")).collect();
            all.concat()
        };
        let few = format!("<p{}>x</p>", attributes(MOST_ATTRIBUTES));
        assert_eq!(with_few_attributes(&few), few);
        let many = format!("a <1 > b<p{}title=é>x</p><b>y", attributes(MOST_ATTRIBUTES));
        let blanked = with_few_attributes(&many);
        assert_eq!(blanked, many.replace("title=é", "        "));
        for cut in ["<p a='", "<p a=", "<p a", "<p", "<"] {
            assert_eq!(with_few_attributes(cut), cut);
        }
        // each compared with each would take minutes
        let page = read(&format!("<p {}>the snow lay deep", attributes(400_000)));
        assert_eq!(page.text, "the snow lay deep");
    }

    #[test]
    fn a_page_is_the_same_wherever_the_pieces_cut_it() {
        let markup =
            "<p class=\"x é 刘备\">One &amp; two &notin; &lt;b&gt;<!-- no --><pre>\r\n a\r\n\r\nb</pre>";
        let whole = Html::parse_document(markup);
        let whole: String = whole.root_element().text().collect();
        for before in 0..markup.len() {
            let padded = " ".repeat(PIECE_BYTES - markup.len() + before) + markup;
            let parsed = parse(&padded, &LimitsConfig::default()).unwrap();
            assert_eq!(parsed.root_element().text().collect::<String>(), whole, "{before}");
        }
    }

    #[test]
    fn a_page_is_its_visible_text() {
        let page = read(
            "<!doctype html><html lang=en><head><title> A  page </title><meta name=author content=Ann>\
             <style>x</style></head><body><nav>menu</nav><h1>Big <em>é</em> news</h1><p>One\n two&nbsp;&amp; <b>th</b>ree.\
             <br>Line.</p><script>no()</script><ul><li>a</li><li>b</li></ul><table><tr><td>1</td><td>2</td></tr></table>\
             <pre>x\n  y\n</pre><div hidden>gone</div><h2></h2><h2>Next</h2>end",
        );
        assert_eq!(page.title.as_deref(), Some("A page"));
        assert_eq!(
            page.text,
            "Big é news\n\nOne two\u{a0}& three.\nLine.\n\n- a\n- b\n\n1\t2\n\nx\n  y\n\nNext\n\nend"
        );
        assert_eq!(page.metadata.get("author").map(String::as_str), Some("Ann"));
        let headings: Vec<(u64, &str)> = page.headings.iter().map(|h| (h.offset, h.title.as_str())).collect();
        let next = page.text.chars().collect::<String>().find("Next").unwrap();
        let next = page.text[..next].chars().count() as u64;
        assert_eq!(headings, [(0, "Big é news"), (next, "Next")]);
    }

    #[test]
    fn raised_and_lowered_text_changes_no_number() {
        let page = read(
            "<h2>Area in km<sup>2</sup></h2><p>First lit in 1900<sup>3</sup>. It is 41 m<sup>2</sup>, the 1<sup>st</sup>, \
             of H<sub>2</sub>O; failed<sup><a>[4]</a></sup> by 10 <sup>6</sup> grains in 1843<a role=doc-noteref>2</a>.<h2>Next</h2>",
        );
        assert_eq!(
            page.text,
            "Area in km^2\n\nFirst lit in 1900^3. It is 41 m^2, the 1st, of H2O; failed[4] by 10^6 grains in 1843[2].\n\nNext"
        );
        let next = page.text.chars().count() as u64 - 4;
        let headings: Vec<(u64, &str)> = page.headings.iter().map(|h| (h.offset, h.title.as_str())).collect();
        assert_eq!(headings, [(0, "Area in km^2"), (next, "Next")]);
    }

    #[test]
    fn a_page_of_spanning_cells_is_not_written_many_times_over() {
        let long = "x".repeat(190);
        for cell in [format!("<td rowspan=200>{long}"), "<td rowspan=200 colspan=64>y".to_owned()] {
            let markup = format!("<table>{}</table>", format!("<tr>{cell}").repeat(2_000));
            let page = read(&markup);
            assert!(page.text.len() < 4 * markup.len() + 8 * MOST_REPEATED, "{}", page.text.len());
        }
        let wide = format!("<table><tr>{}<tr><td>z</table>", "<td rowspan=200>w".repeat(20_000));
        assert_eq!(read(&wide).text.matches('w').count(), 20_000 + MOST_SPANS);
    }

    #[test]
    fn tables_are_markdown_with_all_their_cells() {
        let page = read(
            "<p>Crew</p><table><tr><th>Vessel<th>Shift<th>Keeper<tr><td rowspan=2>Mermaid<td><p>Day</p><td>Nance\
             <tr><td>Night<td><p></p><tr><td><td colspan=2><p>none</p></table><h2>Next</h2><pre>a\tb\nc\td</pre>",
        );
        let table = "| Vessel | Shift | Keeper |\n| --- | --- | --- |\n| Mermaid | Day | Nance |\n\
                     | Mermaid | Night |  |\n|  | none |  |";
        assert_eq!(page.text, format!("Crew\n\n{table}\n\nNext\n\na\tb\nc\td"));
        let next = page.text[..page.text.find("Next").unwrap()].chars().count() as u64;
        assert_eq!(page.headings[0].offset, next);
    }

    #[test]
    fn quotations_of_mails_are_marked_and_ruby_is_left_out() {
        let markup = "Two pounds.<blockquote><p>What does rope cost?</p><blockquote>Rope?</blockquote></blockquote>End";
        let page = read_mail(markup, &LimitsConfig::default()).unwrap();
        assert_eq!(page.text, "Two pounds.\n\n> What does rope cost?\n\n> > Rope?\n\nEnd");
        assert_eq!(read("<ruby>郝<rp>(</rp><rt>hǎo</rt><rp>)</rp></ruby>大年").text, "郝大年");
    }

    #[test]
    fn lists_keep_their_marks_numbers_and_depth() {
        let page = read(
            "<ol><li>Stop the daemon<li><p>Edit the file</p><ul><li>as root<li></ul><li>Start it</ol><ol start=7><li>x</ol>\
             <li>alone",
        );
        assert_eq!(
            page.text,
            "1. Stop the daemon\n\n2. Edit the file\n\n  - as root\n3. Start it\n\n7. x\n\nalone"
        );
    }

    #[test]
    fn headings_bear_no_signs_of_the_site() {
        let page = read(
            "<html><head><meta property='article:published_time' content='2021-03-04'></head>\
             <h2>Wick<a class=headerlink href=#wick>¶</a></h2><h2>History<span class=mw-editsection>[<a>edit</a>]</span></h2>",
        );
        assert_eq!(page.text, "Wick\n\nHistory");
        assert_eq!(page.metadata.get("date").map(String::as_str), Some("2021-03-04"));
    }

    #[test]
    fn broken_or_deep_markup_does_no_harm() {
        assert_eq!(read("just text < 3 & more").text, "just text < 3 & more");
        assert_eq!(read("").text, "");
        assert_eq!(read(&("<div>".repeat(400) + "deep")).text, "deep");
        assert_eq!(read("<h1>Only</h1>").title.as_deref(), Some("Only"));
        // nothing but a space that does not break
        assert_eq!(read("<h1>\u{a0}</h1><p>Text").headings, []);
    }
}
